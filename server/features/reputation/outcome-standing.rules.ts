import { Decimal } from 'decimal.js';
import type { UncountedReason } from '../../../contract/schemas/intents.js';
import type { AggregatableIntent } from '../intents/aggregation.js';
import type { DisputeEffect } from '../intents/intent.js';
import { accountDayKey } from './aggregation.rules.js';
import { admittedPerAccountDay, contributionOf, isOutcome, leastAmount } from './what-counts.rules.js';

/** Whether an outcome counts in the reputation, and why it does not. */
export interface Standing {
  counts: 'pending' | 'filled' | 'not_filled' | 'no';
  /** Null unless `counts` is `no`. */
  uncountedReason: UncountedReason | null;
}

/**
 * How the outcome of an intent counts, by what the roll-ups hold of it and not by what they should hold. `pending` while
 * that is going to change or may do so.
 */
export function standingOf(intent: AggregatableIntent): Standing {
  const { counted, pendingAggregation } = intent;
  const wanted = contributionOf(intent);
  // What will never be counted is certain at once, unless the roll-ups still hold something of it.
  if (wanted === null) return pendingAggregation && isOutcome(counted) ? pending : no(reasonOf(intent));
  if (intent.admission?.day === wanted.day && !intent.admission.admitted) return no('account_day_full');
  if (pendingAggregation || counted === null) return pending;
  if (!isOutcome(counted)) return no('dispute_accepted');
  return { counts: counted.filled === 1 ? 'filled' : 'not_filled', uncountedReason: null };
}

const pending: Standing = { counts: 'pending', uncountedReason: null };

function no(uncountedReason: UncountedReason): Standing {
  return { counts: 'no', uncountedReason };
}

/** Why an intent contributes nothing: the rules of `contributionOf`, in their order. */
function reasonOf({ unscoredReason, sellAmount, outcome }: AggregatableIntent): UncountedReason {
  if (unscoredReason !== null) return unscoredReason;
  if (new Decimal(sellAmount).lt(leastAmount)) return 'below_least_amount';
  return outcome?.evidence === 'unverified' && outcome.kind !== 'expired' ? 'unverified' : 'expired';
}

/** The effect of a verdict that changes nothing, or where that is not decided yet. */
export type TrueEffect = DisputeEffect | 'nothing' | 'undecided';

/** The account-day in which the intent waits for a place; null where it needs none or it is decided. */
export function awaitedAccountDay(intent: AggregatableIntent): string | null {
  return intent.pendingAggregation ? undecidedAccountDay(intent) : null;
}

/** The account-day that decides whether `effect` would change anything; null where that is decided. */
export function decidingAccountDay(intent: AggregatableIntent, effect: DisputeEffect): string | null {
  return undecidedAccountDay({ ...intent, disputeEffect: effect });
}

function undecidedAccountDay(intent: AggregatableIntent): string | null {
  const wanted = contributionOf(intent);
  if (wanted === null || intent.admission?.day === wanted.day) return null;
  return accountDayKey(intent, wanted.day);
}

/**
 * What a dispute with this effect changes if it is accepted, or has changed. An intent that never counts stays out,
 * dispute or not, as does one without a place in its account-day. One that has none so far, because it expired or was
 * not counted yet, needs one that is free: `admitted` are taken, and `waiting` others may take more.
 */
export function trueEffect(
  intent: AggregatableIntent,
  effect: DisputeEffect,
  accountDay: { admitted: number; waiting: number },
): TrueEffect {
  const wanted = contributionOf({ ...intent, disputeEffect: effect });
  if (wanted === null) return 'nothing';
  if (intent.admission?.day === wanted.day) return intent.admission.admitted ? effect : 'nothing';
  const free = admittedPerAccountDay - accountDay.admitted;
  if (free <= 0) return 'nothing';
  return accountDay.waiting < free ? effect : 'undecided';
}
