import { Decimal } from 'decimal.js';
import { isAsset } from '../../../contract/anchor-documents/asset.js';
import type {
  IntentStatus,
  OutcomeEvidence,
  OutcomeReason,
  TransactionProblem,
  UnscoredReason,
} from '../../../contract/schemas/intents.js';
import { accountOf } from './accounts.rules.js';
import {
  type EligibilityTerms,
  faultsOfWithdrawal,
  identityFault,
  isAnnouncedAmount,
} from './eligibility.rules.js';
import { evidenceOf } from './evidence.rules.js';
import type { PaymentState } from './payment.js';
import { verdictOf, withRecord } from './payment-state.rules.js';
import { type PollState, pollStateOf } from './poll-state.rules.js';
import type { TransactionRecord } from './sep-record.rules.js';
import { addObservation, type Observations, settleSeconds, timesKnown } from './settle-time.rules.js';
import { type ShortfallInput, shortfallPpb } from './shortfall.rules.js';
import { problemOf } from './transaction-problem.rules.js';

const dayMs = 86_400_000;
/** A transaction the user may still pay is followed this long beyond the intent's own deadline. */
export const lateFundsMs = dayMs;
/** The latest close of a payment that counts: `lateFundsMs` after the deadline, or when the anchor closed the withdrawal. */
export function payableUntilMs(deadlineMs: number, closedSinceMs: number | null): number {
  return Math.min(deadlineMs + lateFundsMs, closedSinceMs ?? Number.POSITIVE_INFINITY);
}
/** Cash that nobody collects is followed this long. */
export const pickUpMs = 90 * dayMs;
/** How long a failed intent may still be completed by its anchor. */
const recoveryMs = 30 * dayMs;

/**
 * Whether the outcome may count: it may unless there is an `unscoredReason`. The first observation of funds that names
 * `amountIn` fixes it.
 */
export interface Judgement {
  unscoredReason: UnscoredReason | null;
  amountIn: string | null;
}

export interface Ending {
  status: Exclude<IntentStatus, 'pending'>;
  reason: OutcomeReason;
  /** When the outcome was first recorded; a recovery keeps the time of the failure. */
  recordedAtMs: number;
  recoveredAtMs: number | null;
  settleSeconds: number | null;
  timesKnown: boolean;
  shortfallPpb: number | null;
  /** What the anchor says it paid out, in the corridor's fiat. */
  amountOut: string | null;
  evidence: OutcomeEvidence;
}

/** Everything that determines the outcome of an intent. */
export interface IntentState {
  terms: EligibilityTerms & {
    overdueAfterSeconds: number;
    mayBeCollected: boolean;
    quote: ShortfallInput['quote'];
  };
  /** The deadline of the payment. */
  deadlineMs: number;
  /** When the transaction was attached; null: none is. */
  attachedAtMs: number | null;
  /** How often the anchor answered that it does not know the transaction, while it had never shown a record of it. */
  unknownPolls: number;
  /** Whether the transaction waits for a place among the polls of its client. */
  waits: boolean;
  observations: Observations;
  /** The latest known problem with the transaction id. */
  problem: TransactionProblem | null;
  /** The account that the records up to the first observation of funds name as the sender. */
  sender: string | null;
  /** Whether it claims a transaction that another intent holds. */
  claims: boolean;
  judgement: Judgement;
  payment: PaymentState;
  ending: Ending | null;
}

/** A transaction's record, and when it was observed. */
export interface Observation {
  record: TransactionRecord;
  /** When the poll was sent, or the callback arrived. */
  observedAtMs: number;
  /** Set for callbacks: anchors repeat those that failed, so an old one may arrive after a newer one. */
  mayBeLate?: boolean;
}

export interface TransitionLimits {
  failureGraceMs: number;
  /** Whether payments are looked up on the ledger; where they are not, the anchor's word is taken. */
  ledger: boolean;
}

/**
 * The one transition function: takes a state, an observation of its transaction (null: only time has passed) and the
 * time, and returns the next state. An observation adds nothing where it is older than the last one, or where the
 * intent has no transaction.
 */
export function transition(
  state: IntentState,
  observation: Observation | null,
  nowMs: number,
  limits: TransitionLimits,
): IntentState {
  if (state.ending !== null && state.ending.status !== 'failed') return state;
  const seen = observation === null ? state : observe(state, observation, nowMs, limits);
  const record = seen === state ? null : (observation?.record ?? null);
  if (state.ending !== null) return recover(seen, state, record, nowMs);
  const reached = limits.ledger ? endByLedger(seen, nowMs, limits) : endOf(seen, record, nowMs, limits);
  if (reached === null) return seen;
  const [status, reason] = reached;
  const evidence = evidenceOf(seen.payment, limits);
  const told = limits.ledger ? seen.payment.told : record;
  return end(seen, told, { status, reason, recordedAtMs: nowMs, recoveredAtMs: null, evidence });
}

/** The state after the anchor answered that it knows no such transaction. */
export function notFound(state: IntentState): IntentState {
  if (state.attachedAtMs === null) return state;
  const unknownPolls = state.unknownPolls + (state.observations.firstAtMs === null ? 1 : 0);
  return { ...state, unknownPolls, problem: 'unknown_to_anchor' };
}

/** What is asked of the anchor about an intent of this state. */
export function pollStateOfState({
  attachedAtMs,
  observations,
  unknownPolls,
  waits,
}: IntentState): PollState {
  const seen = observations.firstAtMs !== null;
  return pollStateOf({ attached: attachedAtMs !== null, seen, unknownPolls, waits });
}

/** The instant until which a failed intent may still become settled. */
export function recoverableUntilMs(ending: Ending): number {
  return ending.recordedAtMs + recoveryMs;
}

/** When the payout of a funded intent is overdue. */
export function overdueAtMs(state: IntentState): number | null {
  const { paidAtMs, fundedAtMs } = state.observations;
  const fromMs = paidAtMs ?? fundedAtMs;
  return fromMs === null ? null : fromMs + state.terms.overdueAfterSeconds * 1_000;
}

/** `nowMs` is when the record is stored: what it says of the payment concerns only ledgers that close later. */
function observe(
  state: IntentState,
  seen: Observation,
  nowMs: number,
  { ledger }: TransitionLimits,
): IntentState {
  const before = state.observations;
  if (state.attachedAtMs === null || isOld(seen, before)) return state;
  const observation = { ...seen, record: asPaidOut(seen.record, state.terms) };
  const { record, observedAtMs } = observation;
  const times = { observedAtMs, storedAtMs: nowMs };
  const observations = addObservation(before, record, times, state.attachedAtMs);
  const told = problemOf(record, state.terms, before.firstAtMs === null ? undefined : state.problem);
  // The ledger has shown who paid.
  const problem = told === 'other_account' && state.payment.found !== null ? null : told;
  const sender = senderUpToFunds(state, record);
  const judgement = judge(state, observations, observation);
  const faultySinceMs = faultySince(state, judgement, nowMs);
  const payment = ledger ? withRecord(state.payment, record, nowMs) : state.payment;
  return { ...state, observations: { ...observations, faultySinceMs }, problem, sender, judgement, payment };
}

/**
 * Only cash can wait to be collected: an anchor that says so of a transfer has the payment and still has to pay out. It
 * would otherwise never be overdue, and its payout time would end before the payout.
 */
function asPaidOut(record: TransactionRecord, { mayBeCollected }: IntentState['terms']): TransactionRecord {
  if (mayBeCollected || record.status.group !== 'ready') return record;
  return { ...record, status: { ...record.status, group: 'open' } };
}

function faultySince(before: IntentState, { unscoredReason }: Judgement, storedAtMs: number): number | null {
  if (!faultsOfWithdrawal.has(unscoredReason)) return null;
  const wasFaulty = faultsOfWithdrawal.has(before.judgement.unscoredReason);
  return (wasFaulty ? before.observations.faultySinceMs : null) ?? storedAtMs;
}

/** Like the judgement, the sender is fixed once the anchor has shown that the funds arrived. */
function senderUpToFunds({ observations, sender }: IntentState, { from }: TransactionRecord): string | null {
  if (observations.fundedAtMs !== null || from === null) return sender;
  return accountOf(from) ?? sender;
}

function isOld(
  { record, observedAtMs, mayBeLate }: Observation,
  { lastAtMs, updatedAtMs }: Observations,
): boolean {
  if (lastAtMs !== null && observedAtMs < lastAtMs) return true;
  if (!mayBeLate || record.updatedAtMs === null || updatedAtMs === null) return false;
  return record.updatedAtMs < updatedAtMs;
}

/**
 * Records up to the first observation of funds decide what kind of transaction it is; an anchor cannot change that
 * afterwards.
 */
function judge(state: IntentState, after: Observations, { record }: Observation): Judgement {
  const { observations: before, terms } = state;
  let { unscoredReason, amountIn } = state.judgement;
  if (before.fundedAtMs === null) {
    const first = before.firstAtMs === null;
    // A transaction that passed from another intent may have been observed only before it was presented here.
    const late = before.unfundedAtMs === null && after.fundedAtMs !== null;
    unscoredReason =
      identityFault(record, terms, first ? undefined : unscoredReason) ??
      (late ? 'seen_after_payment' : null);
  }
  if (after.fundedAtMs !== null && amountIn === null && record.amountIn !== null) {
    amountIn = record.amountIn;
    if (!isAnnouncedAmount(amountIn, terms.sellAmount)) unscoredReason ??= 'amount_mismatch';
  }
  return { unscoredReason, amountIn };
}

/** What a record says about the money; kept from the last record for the decision once the ledger has answered. */
type Told = NonNullable<PaymentState['told']>;

/**
 * The outcome where payments are looked up. While a named payment is being looked up, the intent does not end. Where the
 * ledger refutes the payment that a record names, the funds that the record shows are not believed.
 */
function endByLedger(
  state: IntentState,
  nowMs: number,
  limits: TransitionLimits,
): [Ending['status'], OutcomeReason] | null {
  const { observations: seen, payment } = state;
  switch (verdictOf(payment, nowMs)) {
    case 'waiting':
      return null;
    case 'refuted': {
      const noFunds = { fundedAtMs: null, paidAtMs: null, readyAtMs: null, completedSeenAtMs: null };
      return endOf({ ...state, observations: { ...seen, ...noFunds } }, null, nowMs, limits);
    }
    default:
      return awaitsLook(state, nowMs, limits) ? null : endOf(state, payment.told, nowMs, limits);
  }
}

/** Whether an intent that was reopened still waits for an observation, for which the anchor has `failureGraceMs`. */
function awaitsLook(
  { observations, payment: { takenUpAtMs } }: IntentState,
  nowMs: number,
  { failureGraceMs }: TransitionLimits,
): boolean {
  if (takenUpAtMs === undefined || (observations.lastAtMs ?? 0) >= takenUpAtMs) return false;
  return nowMs - takenUpAtMs < failureGraceMs;
}

function endOf(
  state: IntentState,
  record: Told | null,
  nowMs: number,
  { failureGraceMs }: TransitionLimits,
): [Ending['status'], OutcomeReason] | null {
  const { observations: seen, attachedAtMs, deadlineMs } = state;
  const stands = (sinceMs: number | null) => sinceMs !== null && nowMs - sinceMs >= failureGraceMs;
  if (record?.refunded) return ['failed', 'refunded'];
  if (seen.completedSeenAtMs !== null) {
    if (record !== null && namesPayout(record)) return ['settled', 'completed'];
    if (!stands(seen.notOpenSinceMs)) return null;
    // A payout that is named in a way that nobody can read is no missing one: it settles, and counts for nobody.
    return state.problem === 'unreadable_amount' ? ['settled', 'completed'] : ['failed', 'unproven'];
  }
  if (seen.closedSinceMs !== null) {
    if (seen.fundedAtMs !== null) return stands(seen.notOpenSinceMs) ? ['failed', 'error'] : null;
    return seen.status === 'expired' || stands(seen.closedSinceMs) ? ['expired', 'abandoned'] : null;
  }
  if (seen.readyAtMs !== null) {
    return nowMs - seen.readyAtMs >= pickUpMs ? ['expired', 'not_collected'] : null;
  }
  const overdueMs = overdueAtMs(state);
  if (overdueMs !== null) {
    // Either it was observed open after it became overdue, or nothing was observed since for `failureGraceMs`.
    const seenOpen = (seen.lastAtMs ?? 0) >= overdueMs;
    return (seenOpen && nowMs >= overdueMs) || stands(overdueMs) ? ['failed', 'overdue'] : null;
  }
  // A claim waits as long as a transaction, since the transaction may still prove to be this account's.
  if (attachedAtMs === null && !state.claims)
    return nowMs >= deadlineMs ? ['expired', 'no_transaction'] : null;
  if (attachedAtMs === null) return nowMs >= deadlineMs + lateFundsMs ? ['expired', 'no_transaction'] : null;
  return nowMs >= deadlineMs + lateFundsMs ? ['expired', 'never_funded'] : null;
}

/**
 * A failed intent that its anchor completes in time becomes settled: once, since settled is final. The judgement of a
 * failure that counts is kept: neither a later record nor a completion that would not count can remove it.
 */
function recover(
  seen: IntentState,
  before: IntentState,
  record: TransactionRecord | null,
  nowMs: number,
): IntentState {
  const failed = { ...seen, judgement: before.judgement };
  const failure = seen.ending;
  const completed = record !== null && seen.observations.completedSeenAtMs !== null && namesPayout(record);
  if (failure === null || !completed || nowMs > recoverableUntilMs(failure)) return failed;
  const recovered = end(seen, record, {
    status: 'settled',
    reason: 'recovered',
    recordedAtMs: failure.recordedAtMs,
    recoveredAtMs: nowMs,
    evidence: failure.evidence,
  });
  const vanishes = before.judgement.unscoredReason === null && recovered.judgement.unscoredReason !== null;
  return vanishes ? failed : recovered;
}

/** The state with this ending and its measured values. */
export function end(
  state: IntentState,
  record: Told | null,
  ending: Omit<Ending, 'settleSeconds' | 'timesKnown' | 'shortfallPpb' | 'amountOut'>,
): IntentState {
  const { judgement, observations, terms, attachedAtMs } = state;
  if (ending.status !== 'settled' || record === null) {
    const unmeasured = { settleSeconds: null, timesKnown: false, shortfallPpb: null, amountOut: null };
    const unread = ending.status === 'settled' ? 'amount_unreadable' : null;
    return {
      ...state,
      judgement: { ...judgement, unscoredReason: judgement.unscoredReason ?? unread },
      ending: { ...ending, ...unmeasured },
    };
  }
  const byLedger = state.payment.found !== null;
  // The amount found on the ledger does not depend on the anchor's records.
  const amountIn = byLedger ? judgement.amountIn : larger(judgement.amountIn, record.amountIn);
  const missing = unreadAmount(record, amountIn) ?? (amountIn === null ? 'amount_missing' : null);
  return {
    ...state,
    judgement: { ...judgement, unscoredReason: judgement.unscoredReason ?? missing },
    ending: {
      ...ending,
      settleSeconds: settleSeconds(observations, attachedAtMs ?? terms.createdAtMs, byLedger),
      timesKnown: timesKnown(observations, byLedger),
      shortfallPpb:
        amountIn === null || record.amountOut === null
          ? null
          : shortfallPpb({ amountIn, amountOut: record.amountOut, quote: terms.quote }),
      amountOut: isAsset(record.amountOutAsset ?? terms.buyAsset, terms.buyAsset) ? record.amountOut : null,
    },
  };
}

function namesPayout(record: Told): boolean {
  return record.amountOut !== null && !new Decimal(record.amountOut).isZero();
}

/** Whether an amount that a settled outcome rests on is there and cannot be read. */
function unreadAmount({ amountOut, unreadable }: Told, amountIn: string | null): 'amount_unreadable' | null {
  const isUnread = unreadable.some(
    (member) =>
      (member === 'amount_in' && amountIn === null) ||
      (member === 'amount_out' && amountOut === null) ||
      member === 'refunds.amount_refunded',
  );
  return isUnread ? 'amount_unreadable' : null;
}

function larger(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return new Decimal(b).gt(a) ? b : a;
}
