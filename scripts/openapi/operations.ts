import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { type ErrorCode, errorTable } from '../../contract/errors.js';

/** A request and its answer, whatever operation they are of. */
export interface Example {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  answer: unknown;
}

/** The examples of a contract, in its shape. */
export interface Examples {
  readonly [name: string]: Example | Examples;
}

/** One operation of the contract, with its metadata typed. */
export interface Operation {
  route: AppRoute;
  metadata: RouteMetadata;
  example: Example;
  /** In OpenAPI form: `/api/rates/{corridor}`. */
  path: string;
  /** How the client calls it: `client.rates.getRates`. */
  call: string;
}

/** Every operation of the contract, in its order; without `examples`, each with an empty one. */
export function operationsOf(router: AppRouter, examples: Examples = {}, group = 'client'): Operation[] {
  return Object.entries(router).flatMap(([name, node]) => {
    const call = `${group}.${name}`;
    if (!isAppRoute(node)) return operationsOf(node, examples[name] as Examples | undefined, call);
    const example = (examples[name] ?? { answer: undefined }) as Example;
    const path = node.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}');
    return [{ route: node, metadata: node.metadata as RouteMetadata, example, path, call }];
  });
}

const tableOrder = Object.keys(errorTable);

/** The codes by status, in the order of the error table; each once. */
export function codesByStatus(errors: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const result = new Map<number, ErrorCode[]>();
  const inOrder = [...new Set(errors)].sort((a, b) => tableOrder.indexOf(a) - tableOrder.indexOf(b));
  for (const code of inOrder) {
    const { status } = errorTable[code];
    result.set(status, [...(result.get(status) ?? []), code]);
  }
  return result;
}

/** The statuses of an operation below 400, in order. */
export function successStatuses(route: AppRoute): number[] {
  return Object.keys(route.responses)
    .map(Number)
    .filter((status) => status < 400)
    .sort((a, b) => a - b);
}
