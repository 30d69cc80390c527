import type { Clock, Logger } from '../../ports.js';
import { createCacheEpoch } from './epoch.js';
import { createAdminCacheRouter } from './router.js';
import type { CacheEpochStore } from './store.js';

/** The epoch of all caches, and the endpoint that empties them. */
export function createCacheFeature(deps: {
  store: CacheEpochStore;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  const epoch = createCacheEpoch(deps);
  return { router: createAdminCacheRouter({ ...deps, epoch }), epoch };
}
