import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { RouteMetadata } from '../../contract/route-metadata.js';

/** One operation of the contract, with its metadata typed. */
export interface Operation {
  route: AppRoute;
  metadata: RouteMetadata;
  /** As OpenAPI has it: `/api/rates/{corridor}`. */
  path: string;
}

/** Every operation of the contract, in its order. */
export function operationsOf(router: AppRouter): Operation[] {
  return Object.values(router).flatMap((node) =>
    isAppRoute(node)
      ? [
          {
            route: node,
            metadata: node.metadata as RouteMetadata,
            path: node.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}'),
          },
        ]
      : operationsOf(node),
  );
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
