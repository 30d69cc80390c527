import { initContract } from '@ts-rest/core';
import { describeRoute } from '../describe-route.js';
import { invalidateCacheAnswer, invalidateCacheBody } from '../schemas/cache.js';
import { noQuery } from '../schemas/primitives.js';

const c = initContract();

export const adminCacheContract = c.router(
  {
    invalidateCache: describeRoute({
      method: 'POST',
      path: '/api/admin/cache/invalidate',
      operationId: 'invalidateCache',
      tag: 'admin',
      access: 'admin',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNSUPPORTED_PAIR'],
      summary: 'Drop cached data on every instance',
      description:
        'Drops the cached data of the given scope and corridor: here at once, on the other instances within a second. ' +
        'The next request asks the anchors again. Answers 200 with what it did; an empty body drops everything.',
      query: noQuery,
      body: invalidateCacheBody.optional(),
      responses: { 200: invalidateCacheAnswer },
    }),
  },
  { strictStatusCodes: true },
);
