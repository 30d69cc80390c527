import { Decimal } from 'decimal.js';
import { isAsset } from '../../../../contract/anchor-documents/values.js';
import type { OutcomeReason } from '../../../../contract/schemas/intents.js';
import type { Intent, IntentOutcome, Told } from '../intent.js';
import { lateFundsMs } from '../payment/payment-match.rules.js';
import {
  type Finding,
  isContradicted,
  type NamedBy,
  verdictOf,
  withFinding,
} from '../payment/payment-state.rules.js';
import { faultOfEnd, paidIn } from '../record/eligibility.rules.js';
import { type Observation, observe, paidBy, unknownToAnchor } from './observation.rules.js';
import { settleSeconds, shortfallPpb, timesKnown } from './settle-time.rules.js';

const dayMs = 86_400_000;
/** How long a paid withdrawal waits for its customer, to collect the cash or to answer a question. */
const customerMs = 30 * dayMs;
/** How long a failed intent may still be completed by its anchor. */
const recoveryMs = 30 * dayMs;

/** The result of a ledger look-up of the payment that this party named. */
export interface LookUp {
  by: NamedBy;
  hash: string;
  finding: Finding;
}

/** What is learned of an intent: a record of its transaction, that the anchor knows none, or a look at the ledger. */
export type Learned = Observation | 'unknown_to_anchor' | LookUp;

/** After this many polls at which the anchor did not know the transaction, it is not polled any more. */
export const givenUpAfterPolls = 10;
/** How long an error, a closed status or silence has to last before it decides an intent. */
export const failureGraceMs = dayMs;

export interface TransitionLimits {
  /** Whether payments are looked up on the ledger; where they are not, the anchor's word is taken. */
  ledger: boolean;
}

/**
 * The one transition function: takes an intent, what was learned of it (null: only time has passed) and the time, and
 * returns the intent as it is then. A record adds nothing where it is older than the last one, or where the intent has no
 * transaction; a look-up adds nothing where the payment was replaced or found meanwhile.
 */
export function transition(
  intent: Intent,
  learned: Learned | null,
  nowMs: number,
  limits: TransitionLimits,
): Intent {
  const next = after(intent, learned, nowMs, limits);
  return next === intent ? intent : withDerived(next);
}

/** The intent with the members that follow from the others. */
export function withDerived(intent: Intent): Intent {
  const status = intent.outcome?.kind ?? 'pending';
  return { ...intent, status, poll: pollOf(intent), contradicted: isContradicted(intent.payment) };
}

function pollOf({ attachedAt, observations, unknownPolls, poll }: Intent): Intent['poll'] {
  if (attachedAt === null) return 'never';
  if (observations.firstAtMs !== null) return 'confirmed';
  if (unknownPolls >= givenUpAfterPolls) return 'never';
  return poll === 'waiting' ? 'waiting' : 'unconfirmed';
}

/** The instant until which a failed intent may still become settled. */
export function recoverableUntilMs({ recordedAt }: IntentOutcome): number {
  return recordedAt.getTime() + recoveryMs;
}

/** When the payout of a funded intent is overdue: the time in which the anchor waits for the customer is not its own. */
export function overdueAtMs({ observations, corridorTerms }: Intent): number | null {
  const fromMs = observations.paidAtMs ?? observations.fundedAtMs;
  return fromMs === null ? null : fromMs + corridorTerms.overdueAfterSeconds * 1_000 + observations.waitedMs;
}

/** When an anchor that waits for the customer has waited long enough; null where it does not. */
export function waitedOutAtMs({ observations: { waitingSinceMs, waitedMs } }: Intent): number | null {
  return waitingSinceMs === null ? null : waitingSinceMs + customerMs - waitedMs;
}

export function isLookUp(learned: Learned | null): learned is LookUp {
  return learned !== null && typeof learned === 'object' && 'finding' in learned;
}

function after(intent: Intent, learned: Learned | null, nowMs: number, limits: TransitionLimits): Intent {
  if (learned === 'unknown_to_anchor') return afterRecord(unknownToAnchor(intent), null, nowMs, limits);
  if (isLookUp(learned)) return afterLookUp(intent, learned, nowMs, limits);
  return afterRecord(intent, learned, nowMs, limits);
}

function afterRecord(
  before: Intent,
  observation: Observation | null,
  nowMs: number,
  limits: TransitionLimits,
): Intent {
  if (before.outcome !== null && before.outcome.kind !== 'failed') return before;
  const intent = observation === null ? before : observe(before, observation, nowMs, limits);
  if (intent.outcome !== null) return intent === before ? before : recovered(intent, before, nowMs);
  const reached = limits.ledger ? endByLedger(intent, nowMs) : endOf(intent, nowMs);
  if (reached === null) return intent;
  const [kind, reason] = reached;
  // Where a ledger is asked but does not show the payment, the outcome counts in no score.
  const evidence = intent.payment.found !== null ? 'ledger' : limits.ledger ? 'unverified' : 'anchor';
  return ended(intent, { kind, reason, recordedAt: new Date(nowMs), evidence });
}

function afterLookUp(
  before: Intent,
  { by, hash, finding }: LookUp,
  nowMs: number,
  limits: TransitionLimits,
): Intent {
  const isNamed = before.payment.named.some((each) => each.by === by && each.hash === hash);
  if (!isNamed || before.payment.found !== null) return before;
  const intent = { ...before, payment: withFinding(before.payment, by, finding, nowMs) };
  if (finding.kind === 'problem') return afterRecord(intent, null, nowMs, limits);
  const paid = paidBy(intent, finding.payment);
  if (paid.outcome === null) return afterRecord(paid, null, nowMs, limits);
  // The intent expired as unpaid, so it is reopened.
  if (paid.outcome.kind === 'expired') return reopened(paid, nowMs);
  const { kind, reason, recordedAt } = paid.outcome;
  return ended(paid, { kind, reason, recordedAt, evidence: 'ledger' });
}

/**
 * Reopens an intent that had expired. It was not followed meanwhile, so nothing ends it before the next look
 * (`awaitsLook`), and a closed withdrawal may still be completed for as long as one that was closed just now.
 */
function reopened(intent: Intent, nowMs: number): Intent {
  const { observations, payment } = intent;
  const sinceNow = (sinceMs: number | null) => (sinceMs === null ? null : nowMs);
  return {
    ...intent,
    observations: {
      ...observations,
      closedSinceMs: sinceNow(observations.closedSinceMs),
      notOpenSinceMs: sinceNow(observations.notOpenSinceMs),
    },
    payment: { ...payment, takenUpAtMs: nowMs },
    outcome: null,
  };
}

type End = [kind: IntentOutcome['kind'], reason: OutcomeReason];

/**
 * The outcome where payments are looked up. While a named payment is being looked up, the intent does not end. Where the
 * ledger refutes the payment that a record names, the funds that the record shows are not believed.
 */
function endByLedger(intent: Intent, nowMs: number): End | null {
  const { observations: seen, payment } = intent;
  const verdict = verdictOf(payment, nowMs);
  if (verdict === 'waiting') return null;
  if (verdict === 'refuted') {
    const noFunds = { fundedAtMs: null, paidAtMs: null, waitingSinceMs: null, completedSeenAtMs: null };
    return endOf({ ...intent, told: null, observations: { ...seen, ...noFunds } }, nowMs);
  }
  return awaitsLook(intent, nowMs) ? null : endOf(intent, nowMs);
}

/** Whether an intent that was reopened still waits for an observation, for which the anchor has `failureGraceMs`. */
function awaitsLook({ observations, payment: { takenUpAtMs } }: Intent, nowMs: number): boolean {
  if (takenUpAtMs === undefined || (observations.lastAtMs ?? 0) >= takenUpAtMs) return false;
  return nowMs - takenUpAtMs < failureGraceMs;
}

/** Every way in which an intent ends, but for a recovery. */
function endOf(intent: Intent, nowMs: number): End | null {
  const { observations: seen, attachedAt, claimedId, told } = intent;
  const deadlineMs = intent.deadline.getTime();
  const stands = (sinceMs: number | null) => sinceMs !== null && nowMs - sinceMs >= failureGraceMs;
  if (told?.refunded) return ['failed', 'refunded'];
  if (seen.completedSeenAtMs !== null) {
    if (namesPayout(told)) return ['settled', 'completed'];
    if (!stands(seen.notOpenSinceMs)) return null;
    // A payout that is named in a way that nobody can read is no missing one: it settles, and counts for nobody.
    return intent.problem === 'unreadable_amount' ? ['settled', 'completed'] : ['failed', 'unproven'];
  }
  if (seen.closedSinceMs !== null) {
    if (seen.fundedAtMs !== null) return stands(seen.notOpenSinceMs) ? ['failed', 'error'] : null;
    return seen.status === 'expired' || stands(seen.closedSinceMs) ? ['expired', 'abandoned'] : null;
  }
  const waitedOutMs = waitedOutAtMs(intent);
  if (waitedOutMs !== null) return nowMs >= waitedOutMs ? ['failed', 'customer_absent'] : null;
  const overdueMs = overdueAtMs(intent);
  if (overdueMs !== null) {
    // Either it was observed open after it became overdue, or nothing was observed since for `failureGraceMs`.
    const seenOpen = (seen.lastAtMs ?? 0) >= overdueMs;
    return (seenOpen && nowMs >= overdueMs) || stands(overdueMs) ? ['failed', 'overdue'] : null;
  }
  // A claim waits as long as a transaction, since the transaction may still prove to be this account's.
  if (attachedAt === null && claimedId === undefined)
    return nowMs >= deadlineMs ? ['expired', 'no_transaction'] : null;
  if (nowMs < deadlineMs + lateFundsMs) return null;
  return ['expired', attachedAt === null ? 'no_transaction' : 'never_funded'];
}

/**
 * A failed intent that its anchor completes in time becomes settled: once, since settled is final. The judgement of a
 * failure that counts is kept: neither a later record nor a completion that would not count can remove it.
 */
function recovered(seen: Intent, { unscoredReason, amountIn, outcome }: Intent, nowMs: number): Intent {
  const failed = { ...seen, unscoredReason, amountIn };
  const completed = seen.observations.completedSeenAtMs !== null && namesPayout(seen.told);
  if (outcome === null || !completed || nowMs > recoverableUntilMs(outcome)) return failed;
  const { recordedAt, evidence } = outcome;
  const end = { kind: 'settled', reason: 'recovered', recordedAt, evidence } as const;
  const settled = ended({ ...seen, recoveredAt: new Date(nowMs) }, end);
  return unscoredReason === null && settled.unscoredReason !== null ? failed : settled;
}

/** The intent with this outcome and its measured values. */
function ended(
  intent: Intent,
  end: Pick<IntentOutcome, 'kind' | 'reason' | 'recordedAt' | 'evidence'>,
): Intent {
  const unscoredReason = intent.unscoredReason ?? faultOfEnd(intent, end.reason);
  const { told, quote, observations } = intent;
  if (end.kind !== 'settled' || told === null) {
    const unmeasured = { settleSeconds: null, timesKnown: false, shortfallPpb: null, amountOut: null };
    return { ...intent, unscoredReason, outcome: { ...end, ...unmeasured } };
  }
  const { amountOut, amountOutAsset } = told;
  const amountIn = paidIn(intent);
  const byLedger = intent.payment.found !== null;
  const fromMs = (intent.attachedAt ?? intent.createdAt).getTime();
  const { buyAsset } = intent.corridorTerms;
  const measured = {
    settleSeconds: settleSeconds(observations, fromMs, byLedger),
    timesKnown: timesKnown(observations, byLedger),
    shortfallPpb:
      amountIn === null || amountOut === null ? null : shortfallPpb({ amountIn, amountOut, quote }),
    amountOut: isAsset(amountOutAsset ?? buyAsset, buyAsset) ? amountOut : null,
  };
  return { ...intent, unscoredReason, outcome: { ...end, ...measured } };
}

function namesPayout(told: Told | null): boolean {
  return told !== null && told.amountOut !== null && !new Decimal(told.amountOut).isZero();
}
