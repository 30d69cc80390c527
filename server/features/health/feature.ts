import { createHealthRouter } from './router.js';

/**
 * The health endpoints for load balancers. An instance is ready while MongoDB answers and it serves a corridor, until it
 * stops. Other problems, which do not make its answers wrong, are reported as warnings.
 */
export function createHealthFeature(deps: {
  pingDatabase: () => Promise<boolean>;
  servesCorridors: () => boolean;
  /** Each returns a sentence that describes a problem, or undefined. */
  warnings: readonly (() => string | undefined)[];
  isStopping: () => boolean;
}) {
  const checks = { mongodb: deps.pingDatabase, fleet: deps.servesCorridors };
  return { router: createHealthRouter({ ...deps, checks }) };
}
