import { createHealthRouter } from './router.js';

/**
 * What load balancers ask. An instance is ready while MongoDB answers and it serves a corridor, until it stops. What is
 * wrong with it otherwise, and does not make its answers wrong, is said as a warning.
 */
export function createHealthFeature(deps: {
  pingDatabase: () => Promise<boolean>;
  servesCorridors: () => boolean;
  /** Each says what is wrong in a sentence, or nothing. */
  warnings: readonly (() => string | undefined)[];
  isStopping: () => boolean;
}) {
  const checks = { mongodb: deps.pingDatabase, fleet: deps.servesCorridors };
  return { router: createHealthRouter({ ...deps, checks }) };
}
