import { z } from 'zod';
import type { ScoreCard, ScoreCardV2 } from '../client/types/score-card.js';
import { formulas } from '../verification/formulas.js';
import { anchorId, corridorId, decimalAnswer, instant, mayGrow } from './primitives.js';

export type { CardWithSigns, ScoreCard, ScoreCardV2 } from '../client/types/score-card.js';

/** The windows a card is kept for, in days. */
export const cardWindows = [7, 30, 90] as const;

const count = z.number().int().min(0);

/**
 * The totals of an anchor's outcomes. A member with the name of a counter of the server (counters.rules.ts) is published
 * as it is counted; the others are derived from the counters (card.rules.ts).
 */
export const cardRecord = {
  outcomes: count.describe('Outcomes that count: filled and not filled.'),
  filled: count.describe('Outcomes that were paid out.'),
  accountDays: count.describe('Distinct pairs of account and UTC day among the outcomes.'),
  fillRate: decimalAnswer
    .nullable()
    .describe('filled / outcomes, six places, rounded down; null without outcomes.'),
  p50SettleSeconds: count.nullable().describe('Median time from payment to payout.'),
  p95SettleSeconds: count.nullable().describe('95th percentile of that time.'),
  meanShortfall: decimalAnswer
    .nullable()
    .describe(
      'Mean share by which payouts fell short of the quote, nine places; null without quoted outcomes.',
    ),
  quotedOutcomes: count.describe("Outcomes that can be compared with the anchor's own quote."),
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

/** One schema for queries and answers, so that the document has it once. */
const formula = mayGrow(z.enum(formulas));

/** Which formula an answer follows, and since when its cards have not been updated. */
export const formulaMembers = {
  formula: formula.describe('The formula that the scores follow; docs/reputation.md describes each.'),
  standsStillSince: instant
    .nullable()
    .describe(
      'Since when the cards wait for a ledger that does not answer, or null. Always null for v1, which does not ask it.',
    ),
};

/** The parameter of a query. */
export const formulaQuery = formula
  .optional()
  .describe('The formula of the scores; the leading one when absent (docs/reputation.md).');

/** How far the ledger verifies a record: a part of the cards of formula v2, which answers show beside cards of v1 too. */
const cardEvidence = {
  ledgerOutcomes: count.describe(
    'Outcomes whose payment was found on the ledger; only they count for formula v2.',
  ),
  anchorOutcomes: count.describe("Outcomes that rest on the anchor's word; they count for formula v1 alone."),
  timesWithheld: count.describe(
    'Filled outcomes among `ledgerOutcomes` whose time is not known; formula v2 assumes four speed targets for each.',
  ),
};

/** A card of formula v2: like a card of v1, but over the outcomes that the ledger verifies (docs/reputation.md). */
export const scoreCardV2 = scoreCard
  .extend({ formula: z.enum(['v2']).describe('The formula that it follows.'), ...cardEvidence })
  .describe("An anchor's record in one corridor over one window, of outcomes that the ledger verifies.");

/** A card as it is published and hashed. A card without `formula` follows v1, which was once the only formula. */
export const publishedCard = z
  .union([scoreCardV2, scoreCard])
  .describe('A card as it is published and hashed: of formula v2, or of v1, whose cards name no formula.');

export type PublishedCard = ScoreCard | ScoreCardV2;

const share = decimalAnswer.nullable();

/**
 * Signs of how a record came about, shown beside its card. They are not part of the card that is published and hashed, so
 * the entries of formula v1 stay as they are. As in `cardRecord`, a member with the name of a counter has its value.
 */
export const cardSigns = {
  timesKnown: count.describe(
    'Filled outcomes whose payment and payout were observed one after the other, so that their time is known.',
  ),
  accounts: count.describe(
    'Distinct accounts among the outcomes; if the anchor has more than 20,000 account-days, among the newest 20,000.',
  ),
  newAccountShare: share.describe(
    'Share of the outcomes whose account had its first one, with any anchor, less than 30 days before; six places, rounded up; null without outcomes.',
  ),
  largestAccountShare: share.describe(
    'Share of the outcomes that belong to the account with most; taken over the same account-days as `accounts`.',
  ),
  busiestDayShare: share.describe('Share of the outcomes that fall on the UTC day with most.'),
  ...cardEvidence,
};

export const cardWithSigns = scoreCard
  .extend({
    formula: scoreCardV2.shape.formula.optional().describe('The formula of the card; none on cards of v1.'),
    ...cardSigns,
  })
  .describe("An anchor's record in one corridor over one window, and signs of how it came about.");

export type CardSigns = Pick<z.infer<typeof cardWithSigns>, keyof typeof cardSigns>;
