import type { Clock, Logger } from '../../ports.js';
import { createCacheVersions } from './cache-versions.js';
import { createAdminCacheRouter } from './router.js';
import { createCacheAdmin } from './service.js';
import type { CacheVersionStore } from './store.js';

/** The versions of the caches, and the endpoint that increments them. */
export function createCacheFeature(deps: {
  store: CacheVersionStore;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  const cacheVersions = createCacheVersions(deps);
  const cacheAdmin = createCacheAdmin({ ...deps, cacheVersions });
  return { router: createAdminCacheRouter({ cacheAdmin }), cacheVersions };
}
