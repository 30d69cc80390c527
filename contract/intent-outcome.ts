import { z } from 'zod';
import { decimalAnswer, instant } from './primitives.js';

/** Why an intent ended as it did, and when exactly each reason is given. */
export const outcomeReasons = {
  completed: 'Settled: the anchor completed the withdrawal and names the amount paid out.',
  recovered: 'Settled: it had failed, and the anchor completed it within 30 days.',
  refunded: 'Failed: the anchor sent the funds back.',
  error: 'Failed: the anchor closed the withdrawal without paying out, and left it so for 24 hours.',
  overdue: "Failed: still open when the corridor's time for a payout was over.",
  unproven: 'Failed: called completed, but 24 hours later without an amount paid out.',
  no_transaction: 'Expired: no transaction was attached in time.',
  never_funded: 'Expired: the anchor saw no funds in time.',
  abandoned: 'Expired: the anchor closed the withdrawal before it saw funds.',
  not_collected: 'Expired: the cash lay ready for 90 days and was not collected.',
} as const;

export type OutcomeReason = keyof typeof outcomeReasons;

/** Why an outcome is left out of the scores. */
export const unscoredReasons = {
  not_a_withdrawal: 'The transaction is not a withdrawal.',
  sender_mismatch: "The transaction names another sender than the intent's account.",
  asset_mismatch: "The transaction names another asset than the corridor's.",
  amount_mismatch: 'The amount paid in is not within 10 % of the sell amount.',
  amount_missing: 'It was completed without saying what was paid in.',
  started_before_intent: 'The transaction was started before the intent was registered.',
  seen_after_payment: 'The transaction was first seen when the funds had already been received.',
} as const;

export type UnscoredReason = keyof typeof unscoredReasons;

function reasonEnum<R extends string>(reasons: Readonly<Record<R, string>>) {
  return z.enum(Object.keys(reasons) as [R, ...R[]]).describe(
    Object.entries(reasons)
      .map(([reason, when]) => `\`${reason}\`: ${when}`)
      .join(' '),
  );
}

/** How an intent ended. */
export const intentOutcome = z
  .object({
    status: z.enum(['settled', 'failed', 'expired']),
    reason: reasonEnum<OutcomeReason>(outcomeReasons),
    recordedAt: instant.describe('When it was first recorded here; a recovery keeps it.'),
    recoveredAt: instant.nullable().describe('When a failed intent became settled, or null.'),
    settleSeconds: z
      .number()
      .int()
      .min(0)
      .nullable()
      .describe('Seconds from payment to pay-out (for cash: to ready for pick-up); null unless settled.'),
    shortfall: decimalAnswer
      .nullable()
      .describe("Share by which the pay-out fell short of the anchor's own quote, nine places, or null."),
    scored: z.boolean().describe('Whether the outcome may count in the scores.'),
    unscoredReason: reasonEnum<UnscoredReason>(unscoredReasons).nullable(),
  })
  .describe('How the intent ended.');
