import { z } from 'zod';
import type { ScoreCard, ScoreCardV2 } from '../client/types/score-card.js';
import { formulas } from '../verification/formulas.js';
import { anchorId, corridorId, decimalAnswer, instant, mayGrow } from './primitives.js';

export type { CardWithSigns, ScoreCard, ScoreCardV2 } from '../client/types/score-card.js';

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

/** The document has one schema for it, in queries and in answers. */
const formula = mayGrow(z.enum(formulas));

/** Which formula an answer follows, and whether its cards stand still. */
export const formulaMembers = {
  formula: formula.describe('The formula that the scores follow; docs/reputation.md describes each.'),
  standsStillSince: instant
    .nullable()
    .describe(
      'Since when the cards have not been computed anew because the ledger does not answer; null while they are, and ' +
        'always by v1, which does not ask the ledger.',
    ),
};

/** In a query. */
export const formulaQuery = formula
  .optional()
  .describe('The formula to score by; the one that leads when absent (docs/reputation.md).');

/** How far a record rests on the ledger; part of the cards of formula v2, and shown beside those of v1. */
const cardEvidence = {
  ledgerOutcomes: count.describe(
    'Outcomes whose payment was found on the ledger; only they count for formula v2.',
  ),
  anchorOutcomes: count.describe("Outcomes that rest on the anchor's word; they count for formula v1 alone."),
  timesWithheld: count.describe(
    'Filled outcomes among `ledgerOutcomes` whose time is not known; formula v2 takes four speed targets for each.',
  ),
};

/** A card of formula v2: as one of v1, over the outcomes that the ledger verifies (docs/reputation.md). */
export const scoreCardV2 = scoreCard
  .extend({ formula: z.enum(['v2']).describe('The formula that it follows.'), ...cardEvidence })
  .describe("An anchor's record in one corridor over one window, of outcomes that the ledger verifies.");

/** A card as it is published and hashed. One without `formula` is of v1, from before there was another. */
export const publishedCard = z
  .union([scoreCardV2, scoreCard])
  .describe('A card as it is published and hashed: of formula v2, or of v1, whose cards name no formula.');

export type PublishedCard = ScoreCard | ScoreCardV2;

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
  ...cardEvidence,
};

export const cardWithSigns = scoreCard
  .extend({
    formula: scoreCardV2.shape.formula.optional().describe('The formula of the card; none on cards of v1.'),
    ...cardSigns,
  })
  .describe("An anchor's record in one corridor over one window, and signs of how it came about.");

export type CardSigns = Pick<z.infer<typeof cardWithSigns>, keyof typeof cardSigns>;
