import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { corridorInRequest } from '../schemas/primitives.js';
import { rateHistoryPage, rateHistoryQuery } from '../schemas/rate-history.js';
import { ratesAnswer, ratesQuery } from '../schemas/rates.js';

const c = initContract();

/** What one asks for once or follows, and what can be wrong with it. */
const question = {
  pathParams: z.object({ corridor: corridorInRequest }),
  query: ratesQuery,
  responses: { 200: ratesAnswer },
  errors: ['UNKNOWN_CORRIDOR', 'UNSUPPORTED_PAIR', 'AMOUNT_OUT_OF_RANGE', 'RATES_UNAVAILABLE'],
} as const;

export const ratesContract = c.router(
  {
    getRates: describeRoute({
      method: 'GET',
      path: '/api/rates/:corridor',
      operationId: 'getRates',
      tag: 'rates',
      access: 'public',
      limit: 'rates',
      cache: 'etag',
      ...question,
      leadsTo: {
        createIntent: {
          'body.corridor': '$response.body#/corridor',
          'body.anchorId': '$response.body#/best/anchorId',
          'body.sellAmount': '$response.body#/amount',
        },
        getReputation: { anchor: '$response.body#/best/anchorId' },
      },
      summary: 'Compare what the anchors of a corridor pay out',
      description:
        'Asks every anchor of the corridor at once. The best offer is the one that leaves a person with the most, ' +
        "after the cost of the shortfalls, failures and payout times in the anchor's record; `sort` selects another " +
        'order. `receive` asks the other way round: how much stablecoin a payout takes. Quotes are fresh for 15 s; ' +
        'older ones, up to 60 s, are served with `stale: true` while a refresh runs. No rate here is firm: it becomes ' +
        "firm in the anchor's own flow. Anchors without a quote are listed with the reason. At most 30 requests per " +
        '60 s and client address may be for amounts that nobody requested lately, since every anchor has to be asked ' +
        'for those; more are 429. The reference amount, and amounts whose quotes are stored, do not count.',
    }),
    stream: describeRoute({
      method: 'GET',
      path: '/api/rates/:corridor/stream',
      operationId: 'streamRates',
      tag: 'rates',
      access: 'public',
      limit: 'streams',
      cache: 'no-store',
      stream: { event: 'rates', problems: true },
      ...question,
      summary: 'Follow what the anchors of a corridor pay out',
      description:
        'The current answer of `GET /api/rates/{corridor}`, and the next one whenever it changes, until either side ' +
        'closes the stream. A reader that is slower than the changes gets only the newest answer. When no anchor has a ' +
        'quote any more, an event `problem` carries the error, and the stream goes on. The amounts of streams use the ' +
        'same budget as those of requests, 30 per 60 s and client address: one when the amount is new, and one whenever ' +
        'the anchors are asked for it again, charged to its readers in turn. The reference amount is free. By ' +
        'default at most 20 streams are open for one client address (docs/streams.md).',
    }),
  },
  { strictStatusCodes: true },
);

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
