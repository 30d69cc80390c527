import { initServer } from '@ts-rest/express';
import { adminCacheContract } from '../../../contract/endpoints/cache.js';
import type { CacheAdmin } from './service.js';

export function createAdminCacheRouter(deps: { cacheAdmin: CacheAdmin }) {
  return initServer().router(adminCacheContract, {
    invalidateCache: async ({ body }) => ({
      status: 200,
      body: await deps.cacheAdmin.invalidate(body ?? {}),
    }),
  });
}
