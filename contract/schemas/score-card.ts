import { z } from 'zod';
import { anchorId, corridorId, decimalAnswer } from './primitives.js';

/** The windows a card is kept for, in days. */
export const cardWindows = [7, 30, 90] as const;

const count = z.number().int().min(0);

/**
 * What the outcomes of an anchor add up to. A member that the server counts (counters.rules.ts) under the same name is
 * published as it is counted; the others are derived from the counters (card.rules.ts).
 */
export const cardRecord = {
  outcomes: count.describe('Outcomes that count: filled and not filled.'),
  filled: count.describe('Those that were paid out.'),
  accountDays: count.describe('Distinct pairs of account and UTC day among the outcomes.'),
  fillRate: decimalAnswer
    .nullable()
    .describe('filled / outcomes, six places, rounded down; null without outcomes.'),
  p50SettleSeconds: count.nullable().describe('Median time from payment to pay-out.'),
  p95SettleSeconds: count.nullable().describe('95th percentile of the same.'),
  meanShortfall: decimalAnswer
    .nullable()
    .describe(
      'Mean share by which pay-outs fell short of the quote, nine places; null without quoted outcomes.',
    ),
  quotedOutcomes: count.describe("Outcomes that had the anchor's own quote to be held against."),
  acceptedDisputes: count.describe('Disputes accepted against outcomes of the window.'),
};

/**
 * An anchor's record in one corridor over one window. Holds every input of its score, so that anyone can compute
 * it again (docs/reputation.md). Only strings, integers, booleans and null: the card is hashed in its JCS form.
 */
export const scoreCard = z
  .object({
    anchorId,
    corridor: corridorId,
    window: z
      .union([z.literal(7), z.literal(30), z.literal(90)])
      .describe('Days, the present UTC day included.'),
    ...cardRecord,
    speedTargetSeconds: z.number().int().min(1).describe("The corridor's speed target T of the formula."),
    score: decimalAnswer
      .nullable()
      .describe('0.00 to 100.00 with two places; null while there is too little to judge.'),
    state: z
      .enum(['scored', 'insufficient_data'])
      .describe('`insufficient_data` under 30 outcomes or 15 account-days; the score is then null.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
  })
  .describe("An anchor's record in one corridor over one window.");

export type ScoreCard = z.infer<typeof scoreCard>;

const share = decimalAnswer.nullable();

/**
 * What is shown beside a card of how its record came about. It is no part of the card that is published and hashed: the
 * entries of formula v1 stay as they are. As with `cardRecord`, a counter of the server of the same name is its value.
 */
export const cardSigns = {
  timesKnown: count.describe(
    'Filled outcomes whose payment and payout were observed one after the other, so that their time is known. The time ' +
      'of the others is assumed, or left out of the median, so that formula v1 takes their silence for speed.',
  ),
  accounts: count.describe(
    'Distinct accounts among the outcomes; of the newest 20,000 account-days of the anchor, where it has more.',
  ),
  newAccountShare: share.describe(
    'Share of the outcomes of accounts that had their first outcome, with any anchor, less than 30 days before; six ' +
      'places, rounded up; null without outcomes.',
  ),
  largestAccountShare: share.describe(
    'Share of the outcomes that one account has, the one with most; taken over the same account-days as `accounts`.',
  ),
  busiestDayShare: share.describe('Share of the outcomes of one UTC day, the one with most.'),
};

export const cardWithSigns = scoreCard
  .extend(cardSigns)
  .describe("An anchor's record in one corridor over one window, and signs of how it came about.");

export type CardSigns = Pick<z.infer<typeof cardWithSigns>, keyof typeof cardSigns>;
export type CardWithSigns = z.infer<typeof cardWithSigns>;
