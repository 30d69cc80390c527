import { initServer } from '@ts-rest/express';
import { adminCacheContract } from '../../../contract/endpoints/cache.js';
import { unsupportedPair } from '../../errors.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import type { CacheEpoch } from './epoch.js';

/** Everything is emptied, whatever a request names: that is a superset of what it asks for. */
export function createAdminCacheRouter(deps: {
  epoch: Pick<CacheEpoch, 'empty'>;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  return initServer().router(adminCacheContract, {
    invalidateCache: async ({ body }) => {
      const { scope = 'all', corridor = null } = body ?? {};
      if (corridor !== null && !deps.hasCorridor(corridor))
        throw unsupportedPair('body.corridor', 'is not a corridor that is served');
      const emptied = await deps.epoch.empty();
      deps.logger.info({ scope, corridor, ...emptied }, 'caches emptied');
      const invalidatedAt = toInstant(deps.clock());
      return { status: 200, body: { scope, corridor, ...emptied, invalidatedAt } };
    },
  });
}
