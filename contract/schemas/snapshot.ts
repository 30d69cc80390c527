import { z } from 'zod';
import { buyAssetId, sellAssetId } from './corridors.js';
import { corridorId, decimalAnswer, instant } from './primitives.js';
import { rateQuote } from './rates.js';

/** The best quote of a corridor, without the details of its computation, which the rates answer shows. */
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
    cost: true,
    costUnavailable: true,
    expectedReceive: true,
    worth: true,
  })
  .describe("The corridor's best offer and the record of its anchor.");

/** One row of the snapshot. */
export const snapshotRow = z
  .object({
    corridor: corridorId,
    sellAsset: sellAssetId,
    buyAsset: buyAssetId,
    amount: decimalAnswer.describe("The corridor's reference amount, in stablecoin."),
    best: snapshotBest
      .nullable()
      .describe('The best offer, by the formula of the rates; null when no anchor had one that is ranked.'),
    asOf: instant.describe('When the anchors of this corridor were last asked for offers.'),
  })
  .describe('A corridor at its reference amount.');

/** Every corridor at its reference amount, rebuilt in the background. */
export const snapshotAnswer = z
  .object({
    asOf: instant.describe('When the snapshot was built.'),
    corridors: z.array(snapshotRow).describe('One row per corridor, by id.'),
  })
  .describe('Every corridor at its reference amount, with its best offer.');
export type SnapshotAnswer = z.infer<typeof snapshotAnswer>;
