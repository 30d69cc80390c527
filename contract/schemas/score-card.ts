import { z } from 'zod';
import { formulas } from '../verification/formulas.js';
import { anchorId, corridorId, decimalAnswer, instant, mayGrow } from './primitives.js';

/** The windows a card is kept for, in days. */
export const cardWindows = [7, 30, 90] as const;

const count = z.number().int().min(0);

/** The totals of an anchor's outcomes. */
export const cardRecord = {
  outcomes: count.describe('Outcomes that count: filled and not filled.'),
  filled: count.describe('Outcomes that were paid out.'),
  accountDays: count.describe('Distinct pairs of account and UTC day among the outcomes.'),
  days90: count.describe('Distinct UTC days with outcomes among the last 90, whatever the window.'),
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

/** What decides which outcomes count. */
export const cardEvidence = z
  .enum(['ledger', 'anchor'])
  .describe(
    '`ledger`: only outcomes whose payment the ledger verifies count, and disputed ones that an admin decided. ' +
      '`anchor`: the service has no ledger to ask, and takes the word of the anchor.',
  );

/** How far the ledger verifies a record. */
const verification = {
  ledgerOutcomes: count.describe('Outcomes whose payment was found on the ledger.'),
  anchorOutcomes: count.describe(
    "Outcomes that rest on the anchor's word alone; they count only by the evidence `anchor`.",
  ),
  timesWithheld: count.describe(
    'Filled outcomes without a known time; by the evidence `ledger`, four speed targets are assumed for each.',
  ),
};

/** Only strings, integers, booleans and null: the card is hashed in its JCS form. */
const card = z.object({
  anchorId,
  corridor: corridorId,
  window: z
    .union([z.literal(7), z.literal(30), z.literal(90)])
    .describe('Days, the present UTC day included.'),
  formula: z.enum(formulas).describe('The formula that it follows.'),
  evidence: cardEvidence,
  ...cardRecord,
  speedTargetSeconds: z.number().int().min(1).describe("The corridor's speed target T of the formula."),
  score: decimalAnswer
    .nullable()
    .describe('0.00 to 100.00 with two places; null while there is too little to judge.'),
  state: z
    .enum(['scored', 'insufficient_data'])
    .describe(
      '`insufficient_data` under 30 outcomes, 15 account-days or 7 days with outcomes; the score is then null.',
    ),
  ...verification,
  simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
});

/**
 * An anchor's record in one corridor over one window, as it is published and hashed. Holds every input of its score, so
 * that anyone can compute it again (docs/reputation.md).
 */
export const scoreCard = card.describe("An anchor's record in one corridor over one window.");
export type ScoreCard = z.infer<typeof scoreCard>;

/** Which formula an answer follows, and since when its cards have not been updated. */
export const formulaMembers = {
  formula: mayGrow(z.enum(formulas)).describe('The formula that the scores follow (docs/reputation.md).'),
  standsStillSince: instant
    .nullable()
    .describe('Since when the scores wait for a ledger that does not answer, or null.'),
};

const share = decimalAnswer.nullable();

/** Signs of how a record came about, shown beside its card. They are no part of the card that is published and hashed. */
const signs = {
  timesKnown: count.describe(
    'Filled outcomes whose payment and payout were observed one after the other, so that their time is known.',
  ),
  accounts: count.describe('Distinct accounts among the outcomes.'),
  newAccountShare: share.describe(
    'Share of the outcomes whose account had its first one, with any anchor, less than 30 days before; six places, rounded up; null without outcomes.',
  ),
  largestAccountShare: share.describe('Share of the outcomes that belong to the account with most.'),
  busiestDayShare: share.describe('Share of the outcomes that fall on the UTC day with most.'),
};

/** The signs beside a record, with what a card shows of the evidence. */
export const cardSigns = { ...signs, ...verification };

export const cardWithSigns = card
  .extend(signs)
  .describe("An anchor's record in one corridor over one window, and signs of how it came about.");
export type CardWithSigns = z.infer<typeof cardWithSigns>;

export type CardSigns = Pick<z.infer<typeof cardWithSigns>, keyof typeof signs>;
export type CardVerification = Pick<ScoreCard, keyof typeof verification>;
