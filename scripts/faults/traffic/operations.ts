import { operatorRoutes } from '../../../contract/client/operations/operator/routes.js';
import { routes } from '../../../contract/client/operations/routes.js';
import type { Route, RouteTable } from '../../../contract/client/route.js';
import type { TrafficKind } from '../ports.js';

/** An operation of the contract, identified by a request's method and path. */
export interface Operation {
  route: Route;
  kind: TrafficKind;
  params: Readonly<Record<string, string>>;
}

const kinds: Readonly<Record<string, TrafficKind>> = {
  createIntent: 'intent',
  attachTransaction: 'attach',
  fileDispute: 'dispute',
  resolveDispute: 'decision',
  tickPublisher: 'tick',
  refreshReputation: 'job',
  reconcile: 'job',
  invalidateCache: 'job',
};

const known = [routes as RouteTable, operatorRoutes as RouteTable]
  .flatMap((table) => Object.values(table).flatMap((group) => Object.values(group)))
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
    // If a fixed path and a template both match, the fixed one applies.
    parameters: route.path.split(':').length - 1,
  }))
  .sort((a, b) => a.parameters - b.parameters);

/** Throws if the contract has no such operation: the traffic sends nothing else. */
export function operationOf(method: string, path: string): Operation {
  for (const { route, pattern } of known) {
    const found = route.method === method ? pattern.exec(path) : null;
    if (found !== null) return { route, kind: kindOf(route), params: { ...found.groups } };
  }
  throw new Error(`${method} ${path} is no operation of the contract`);
}

function kindOf({ operationId, method, access }: Route): TrafficKind {
  const named = kinds[operationId];
  if (named !== undefined) return named;
  if (access === undefined) return 'read';
  return method === 'GET' ? 'look' : 'webhook';
}
