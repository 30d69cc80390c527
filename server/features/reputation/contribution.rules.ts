import { Decimal } from 'decimal.js';
import type { AggregatableIntent, Contribution } from './aggregatable-intent.js';
import { settleBucketOf } from './settle-bounds.rules.js';

/** Intents below this many units of stablecoin count nowhere. */
export const leastAmount = '10';

/** How many outcomes of one account, anchor, corridor and UTC day may count. */
export const admittedPerAccountDay = 3;

const wholePpb = 1_000_000_000;

type Judged = Pick<AggregatableIntent, 'sellAmount' | 'outcome' | 'scored' | 'disputeEffect'>;

/**
 * What an intent should add to the roll-ups, before the rule of three outcomes an account-day; null: nothing.
 * Settled counts as filled, failed as not filled, expired not at all, and an accepted dispute overrules all three.
 * What must not be scored, or is under 10 units, counts nowhere, dispute or not.
 */
export function contributionOf(intent: Judged): Contribution | null {
  const { outcome, disputeEffect } = intent;
  if (outcome === null || !intent.scored || new Decimal(intent.sellAmount).lt(leastAmount)) return null;
  const verdict = verdictOf(outcome.kind, disputeEffect);
  if (verdict === 'none' && disputeEffect === null) return null;
  const filled = verdict === 'filled';
  return {
    day: utcDay(outcome.recordedAt),
    filled: filled ? 1 : 0,
    notFilled: verdict === 'not_filled' ? 1 : 0,
    settleBucket: filled && outcome.settleSeconds !== null ? settleBucketOf(outcome.settleSeconds) : null,
    shortfallPpb: filled && outcome.shortfallPpb !== null ? clampPpb(outcome.shortfallPpb) : null,
    acceptedDispute: disputeEffect === null ? 0 : 1,
  };
}

/** `2026-11-21` of an instant. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Whether it is one of the outcomes that a score is taken over. */
export function isOutcome(contribution: Contribution | null): boolean {
  return contribution !== null && contribution.filled + contribution.notFilled > 0;
}

type Verdict = 'filled' | 'not_filled' | 'none';

function verdictOf(
  kind: 'settled' | 'failed' | 'expired',
  effect: AggregatableIntent['disputeEffect'],
): Verdict {
  switch (effect) {
    case 'counts_filled':
      return 'filled';
    case 'counts_not_filled':
      return 'not_filled';
    case 'not_counted':
      return 'none';
    case null:
      if (kind === 'settled') return 'filled';
      return kind === 'failed' ? 'not_filled' : 'none';
  }
}

function clampPpb(shortfallPpb: number): number {
  return Math.min(wholePpb, Math.max(0, Math.round(shortfallPpb)));
}
