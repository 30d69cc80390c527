import { initContract } from '@ts-rest/core';
import { describeRoute } from '../describe-route.js';
import { noQuery } from '../schemas/primitives.js';
import { snapshotAnswer } from '../schemas/snapshot.js';

const c = initContract();

export const snapshotContract = c.router(
  {
    getSnapshot: describeRoute({
      method: 'GET',
      path: '/api/snapshot',
      operationId: 'getSnapshot',
      tag: 'rates',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      summary: 'Read the best offer of every corridor',
      description:
        'Every corridor at its reference amount: the best offer and the record of the anchor that makes it. ' +
        'Rebuilt in the background and served from memory; the first request after a start or an invalidation ' +
        'waits for the build.',
      query: noQuery,
      responses: { 200: snapshotAnswer },
    }),
  },
  { strictStatusCodes: true },
);
