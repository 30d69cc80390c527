import type { Registry } from 'prom-client';
import { createHealthRouter } from './router.js';

/** What load balancers and Prometheus ask. An instance is ready while MongoDB answers and it serves a corridor. */
export function createHealth(deps: {
  pingDatabase: () => Promise<boolean>;
  servesCorridors: () => boolean;
  registry: Registry;
}) {
  const checks = { mongodb: deps.pingDatabase, fleet: deps.servesCorridors };
  return { router: createHealthRouter({ checks, registry: deps.registry }) };
}
