import { Decimal } from 'decimal.js';
import type { UncountedReason } from '../../../contract/schemas/intents.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { leastAmount } from '../../outcome-days.rules.js';
import type { DisputeEffect, Intent, IntentOutcome } from '../intents/intent.js';

/** What decides which outcomes count: the ledger where one is configured, else the word of the anchor. */
export type Evidence = ScoreCard['evidence'];

/** The members of an intent with an outcome that decide whether and how it counts. */
export interface JudgedIntent
  extends Pick<
    Intent,
    '_id' | 'anchorId' | 'corridor' | 'account' | 'sellAmount' | 'unscoredReason' | 'disputeEffect'
  > {
  outcome: IntentOutcome;
}

/** Whether and how an outcome counts. */
export interface Standing {
  counts: 'filled' | 'not_filled' | 'no';
  /** Null unless `counts` is `no`. */
  uncountedReason: UncountedReason | null;
}

/** How many outcomes of an account, anchor, corridor and UTC day count. */
export const countedPerAccountDay = 3;

/**
 * How an outcome counts, given the outcomes of its account on its day with its anchor and corridor: the first three count,
 * by the time at which they were recorded, then by hash. A verdict may therefore change which three.
 */
export function standingOf(
  intent: JudgedIntent,
  accountDay: readonly JudgedIntent[],
  evidence: Evidence,
): Standing {
  const own = standingAlone(intent, evidence);
  if (own.counts === 'no') return own;
  const before = accountDay.filter(
    (other) => byRecord(other, intent) < 0 && standingAlone(other, evidence).counts !== 'no',
  );
  return before.length < countedPerAccountDay ? own : no('account_day_full');
}

/** How an outcome counts but for the limit of its account-day. A verdict overrules all that is known of the payment. */
export function standingAlone(intent: JudgedIntent, evidence: Evidence): Standing {
  const { unscoredReason, sellAmount, outcome, disputeEffect } = intent;
  if (unscoredReason !== null) return no(unscoredReason);
  if (new Decimal(sellAmount).lt(leastAmount)) return no('below_least_amount');
  if (disputeEffect === 'not_counted') return no('dispute_accepted');
  if (disputeEffect === 'counts_filled') return filled;
  if (disputeEffect === 'counts_not_filled') return notFilled;
  if (outcome.kind === 'expired') return no('expired');
  if (!isEvident(outcome, evidence)) return no('unverified');
  return outcome.kind === 'settled' ? filled : notFilled;
}

/** What accepting a dispute with this effect changes, or has changed. */
export function trueEffect(
  intent: JudgedIntent,
  effect: DisputeEffect,
  accountDay: readonly JudgedIntent[],
  evidence: Evidence,
): DisputeEffect | 'nothing' {
  // What is taken out counts only without the verdict, everything else only with it.
  const disputeEffect = effect === 'not_counted' ? null : effect;
  const { counts } = standingOf({ ...intent, disputeEffect }, accountDay, evidence);
  return counts === 'no' ? 'nothing' : effect;
}

/** The order in which the outcomes of an account-day count. */
export function byRecord(a: JudgedIntent, b: JudgedIntent): number {
  const difference = a.outcome.recordedAt.getTime() - b.outcome.recordedAt.getTime();
  if (difference !== 0) return difference;
  return a._id < b._id ? -1 : a._id > b._id ? 1 : 0;
}

/** Without a ledger the word of the anchor is taken, unless a ledger once refused to bear it out. */
function isEvident({ evidence: found }: IntentOutcome, evidence: Evidence): boolean {
  return evidence === 'ledger' ? found === 'ledger' : found !== 'unverified';
}

const filled: Standing = { counts: 'filled', uncountedReason: null };
const notFilled: Standing = { counts: 'not_filled', uncountedReason: null };

function no(uncountedReason: UncountedReason): Standing {
  return { counts: 'no', uncountedReason };
}
