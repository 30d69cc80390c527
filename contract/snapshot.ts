import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { buyAssetId, sellAssetId } from './corridors.js';
import { corridorId, decimalAnswer, instant, noQuery } from './primitives.js';
import { rateQuote } from './rates.js';
import { describeRoute } from './route-metadata.js';

const c = initContract();

/** The best quote of a corridor, without the workings that the rates answer shows. */
export const snapshotBest = rateQuote
  .pick({
    anchorId: true,
    anchorName: true,
    simulated: true,
    tier: true,
    sellAmount: true,
    receiveAmount: true,
    rate: true,
    quotedAt: true,
    reputation: true,
    expectedReceive: true,
  })
  .describe("The corridor's best offer and the record of its anchor.");

/** One row of the snapshot. */
export const snapshotRow = z
  .object({
    corridor: corridorId,
    sellAsset: sellAssetId,
    buyAsset: buyAssetId,
    amount: decimalAnswer.describe("The corridor's reference amount, in stablecoin."),
    best: snapshotBest.nullable().describe('The best offer, or null when no anchor had one.'),
    asOf: instant.describe('When the offers of this corridor were last asked for.'),
  })
  .describe('A corridor at its reference amount.');

/** Every corridor at its reference amount, rebuilt in the background. */
export const snapshotAnswer = z
  .object({
    asOf: instant.describe('When the snapshot was built.'),
    corridors: z.array(snapshotRow).describe('One row a corridor, by id.'),
  })
  .describe('Every corridor at its reference amount, with its best offer.');

export type SnapshotRow = z.infer<typeof snapshotRow>;
export type SnapshotAnswer = z.infer<typeof snapshotAnswer>;

const getSnapshot = describeRoute({
  method: 'GET',
  operationId: 'getSnapshot',
  tag: 'rates',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  example: {
    answer: {
      asOf: '2026-11-21T09:30:00.000Z',
      corridors: [
        {
          corridor: 'usdc-ngn',
          sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
          buyAsset: 'iso4217:NGN',
          amount: '100',
          best: {
            anchorId: 'harbour',
            anchorName: 'Harbour',
            simulated: true,
            tier: 'anchor',
            sellAmount: '100',
            receiveAmount: '152340.55',
            rate: '1523.4055',
            quotedAt: '2026-11-21T09:29:58.120Z',
            reputation: { score: '91.37', state: 'scored', outcomes: 412 },
            expectedReceive: '152157.74',
          },
          asOf: '2026-11-21T09:29:58.120Z',
        },
      ],
    } satisfies SnapshotAnswer,
  },
});

export const snapshotContract = c.router(
  {
    getSnapshot: {
      method: getSnapshot.method,
      path: '/api/snapshot',
      summary: 'Read the best offer of every corridor',
      description:
        'Every corridor at its reference amount: the best offer and the record of the anchor that makes it. ' +
        'Rebuilt in the background and served from memory; the first request after a start or an invalidation ' +
        'waits for the build.',
      query: noQuery,
      responses: { 200: snapshotAnswer, ...getSnapshot.errors },
      metadata: getSnapshot.metadata,
    },
  },
  { strictStatusCodes: true },
);
