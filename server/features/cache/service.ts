import type { CacheScope, InvalidateCacheAnswer } from '../../../contract/schemas/cache.js';
import { unsupportedPair } from '../../errors.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import type { CacheVersions } from './cache-versions.js';

export interface CacheAdmin {
  /** Throws UNSUPPORTED_PAIR for a corridor that is not served. */
  invalidate(request: {
    scope?: CacheScope | undefined;
    corridor?: string | undefined;
  }): Promise<InvalidateCacheAnswer>;
}

export function createCacheAdmin(deps: {
  cacheVersions: Pick<CacheVersions, 'invalidate'>;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}): CacheAdmin {
  return {
    async invalidate({ scope = 'all', corridor }) {
      if (corridor !== undefined && !deps.hasCorridor(corridor)) {
        throw unsupportedPair('body.corridor', 'is not a corridor that is served');
      }
      const { version, droppedEntries } = await deps.cacheVersions.invalidate(scope, corridor);
      deps.logger.info({ scope, corridor, version, droppedEntries }, 'cache invalidated');
      return {
        scope,
        corridor: corridor ?? null,
        epoch: version,
        droppedEntries,
        invalidatedAt: toInstant(deps.clock()),
      };
    },
  };
}
