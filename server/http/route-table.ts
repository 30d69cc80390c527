import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { RouteMetadata } from '../../contract/describe-route.js';

export interface RouteEntry {
  method: string;
  /** The template as Express has it: `/api/rates/:corridor`. */
  path: string;
  metadata: RouteMetadata;
}

interface PathEntry {
  pattern: RegExp;
  methods: ReadonlyMap<string, RouteEntry>;
}

/** Every operation of the contract, in the order of the contract. */
export function listRoutes(contract: AppRouter): RouteEntry[] {
  return Object.values(contract).flatMap((node) =>
    isAppRoute(node)
      ? [{ method: node.method, path: node.path, metadata: metadataOf(node) }]
      : listRoutes(node as AppRouter),
  );
}

export function metadataOf(route: AppRoute): RouteMetadata {
  return route.metadata as RouteMetadata;
}

/**
 * Finds the methods of a path, for preflights and 405. Fixed paths win over templates, as
 * `/api/reputation/leaderboard` does over `/api/reputation/:anchor`.
 */
export class RouteTable {
  readonly #paths: PathEntry[];

  constructor(contract: AppRouter) {
    const routes = listRoutes(contract);
    const templates = [...new Set(routes.map(({ path }) => path))];
    templates.sort((a, b) => countParameters(a) - countParameters(b));
    this.#paths = templates.map((template) => {
      const ofPath = routes.filter(({ path }) => path === template);
      return { pattern: toPattern(template), methods: new Map(ofPath.map((route) => [route.method, route])) };
    });
  }

  find(path: string): PathEntry | undefined {
    return this.#paths.find((entry) => entry.pattern.test(path));
  }
}

/** The value of the Allow header of a path. */
export function allowHeader(methods: ReadonlyMap<string, RouteEntry>): string {
  const names = [...methods.keys()];
  if (methods.has('GET')) names.push('HEAD');
  return [...names, 'OPTIONS'].sort().join(', ');
}

function toPattern(template: string): RegExp {
  const body = template
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${body}$`);
}

function countParameters(template: string): number {
  return template.split('/:').length - 1;
}
