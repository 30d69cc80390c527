import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { corridorInRequest } from '../schemas/primitives.js';
import { rateHistoryPage, rateHistoryQuery } from '../schemas/rate-history.js';

const c = initContract();

export const rateHistoryContract = c.router(
  {
    getRateHistory: describeRoute({
      method: 'GET',
      path: '/api/rates/:corridor/history',
      operationId: 'getRateHistory',
      tag: 'rates',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      alsoAs: {
        'text/csv':
          'The samples of `day` in order, one row for each anchor of each sample: its quote, or the reason why it had ' +
          'none. The first row names the columns.',
      },
      errors: ['UNKNOWN_CORRIDOR'],
      summary: 'Read what the anchors of a corridor offered in the past',
      description:
        'The samples of a range, newest first. A sample has the figures of the answer of the rates at the reference ' +
        'amount, taken once per slot of 15 minutes. Samples are kept for 90 days, the first one of each UTC day for ' +
        'good. A slot without a fresh answer has no sample, and gaps are not filled in. With `Accept: text/csv` the ' +
        'samples of one `day` come as a file. A corridor that has left the fleet keeps its history. The range must lie in the past, begin before it ends, and be no wider than its ' +
        'resolution allows.',
      pathParams: z.object({ corridor: corridorInRequest }),
      query: rateHistoryQuery,
      responses: { 200: rateHistoryPage },
    }),
  },
  { strictStatusCodes: true },
);
