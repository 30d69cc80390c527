import { z } from 'zod';
import { anchorId, corridorId, decimalAnswer } from './primitives.js';

/** The windows a card is kept for, in days. */
export const cardWindows = [7, 30, 90] as const;

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
    outcomes: z.number().int().min(0).describe('Outcomes that count: filled and not filled.'),
    filled: z.number().int().min(0).describe('Those that were paid out.'),
    accountDays: z
      .number()
      .int()
      .min(0)
      .describe('Distinct pairs of account and UTC day among the outcomes.'),
    fillRate: decimalAnswer
      .nullable()
      .describe('filled / outcomes, six places, rounded down; null without outcomes.'),
    p50SettleSeconds: z.number().int().min(0).nullable().describe('Median time from payment to pay-out.'),
    p95SettleSeconds: z.number().int().min(0).nullable().describe('95th percentile of the same.'),
    meanShortfall: decimalAnswer
      .nullable()
      .describe(
        'Mean share by which pay-outs fell short of the quote, nine places; null without quoted outcomes.',
      ),
    quotedOutcomes: z
      .number()
      .int()
      .min(0)
      .describe("Outcomes that had the anchor's own quote to be held against."),
    acceptedDisputes: z.number().int().min(0).describe('Disputes accepted against outcomes of the window.'),
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
