import type { Connection } from 'mongoose';
import type { Clock, Logger } from '../../ports.js';
import { createCacheEpoch } from './epoch.js';
import { createAdminCacheRouter } from './router.js';
import { createCacheEpochStore } from './store.js';

/** The epoch of all caches, and the endpoint that empties them. */
export function createCacheFeature(deps: {
  connection: Connection;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  const epoch = createCacheEpoch({ ...deps, store: createCacheEpochStore(deps.connection) });
  return { router: createAdminCacheRouter({ ...deps, epoch }), epoch };
}
