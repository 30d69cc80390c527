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
 * How the outcome of an intent counts, according to what the roll-ups hold of it, not to what they should hold. `pending`
 * while that will or may change.
 */
export function standingOf(intent: AggregatableIntent): Standing {
  const { counted, pendingAggregation } = intent;
  const wanted = contributionOf(intent);
  // An intent that never counts is decided at once, unless the roll-ups still hold an outcome of it.
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

/** The effect of a verdict; `nothing` if it changes nothing, `undecided` if that is not certain yet. */
export type TrueEffect = DisputeEffect | 'nothing' | 'undecided';

/** The account-day to which the intent waits for admission; null if it needs none or that is decided. */
export function awaitedAccountDay(intent: AggregatableIntent): string | null {
  return intent.pendingAggregation ? undecidedAccountDay(intent) : null;
}

/** The account-day that decides whether `effect` would change anything; null if that is already decided. */
export function decidingAccountDay(intent: AggregatableIntent, effect: DisputeEffect): string | null {
  return undecidedAccountDay({ ...intent, disputeEffect: effect });
}

function undecidedAccountDay(intent: AggregatableIntent): string | null {
  const wanted = contributionOf(intent);
  if (wanted === null || intent.admission?.day === wanted.day) return null;
  return accountDayKey(intent, wanted.day);
}

/**
 * What a dispute with this effect changes if it is accepted, or has changed. An intent that never counts stays out, with or
 * without a dispute, as does one that was not admitted to its account-day. If admission is not decided, because the intent
 * expired or was not counted yet, it depends on the limit: `admitted` intents use part of it, `waiting` others may use more.
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
