import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import { adminCacheContract } from '../../../contract/endpoints/cache.js';
import { unsupportedPair } from '../../errors.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { createCacheEpoch } from './epoch.js';
import { createCacheEpochStore } from './store.js';

/** The epoch of all caches, and the endpoint that empties them. */
export function createCacheFeature(deps: {
  connection: Connection;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  const { logger } = deps;
  const epoch = createCacheEpoch({ store: createCacheEpochStore(deps.connection), logger });
  const router = initServer().router(adminCacheContract, {
    // Everything is emptied, whatever a request names: that is a superset of what it asks for.
    invalidateCache: async ({ body }) => {
      const { scope = 'all', corridor = null } = body ?? {};
      if (corridor !== null && !deps.hasCorridor(corridor))
        throw unsupportedPair('body.corridor', 'is not a corridor that is served');
      const emptied = await epoch.empty();
      logger.info({ scope, corridor, ...emptied }, 'caches emptied');
      return { status: 200, body: { scope, corridor, ...emptied, invalidatedAt: toInstant(deps.clock()) } };
    },
  });
  return { router, epoch };
}
