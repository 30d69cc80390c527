import type { Intent, Told } from '../intent.js';
import { closeUnitMs } from '../payment/payment-match.rules.js';
import { type FoundPayment, withRecord } from '../payment/payment-state.rules.js';
import {
  faultsOfWithdrawal,
  identityFault,
  isAnnouncedAmount,
  problemOf,
} from '../record/eligibility.rules.js';
import type { TransactionRecord } from '../record/sep-record.rules.js';
import { addObservation, type Observations } from './settle-time.rules.js';

/** A transaction's record, and when it was observed. */
export interface Observation {
  record: TransactionRecord;
  /** When the poll was sent, or the callback arrived. */
  observedAtMs: number;
  /** Set for callbacks: anchors repeat those that failed, so an old one may arrive after a newer one. */
  mayBeLate?: boolean;
}

/** The intent after the anchor answered that it knows no such transaction. */
export function unknownToAnchor(intent: Intent): Intent {
  if (intent.attachedAt === null) return intent;
  const unknownPolls = intent.unknownPolls + (intent.observations.firstAtMs === null ? 1 : 0);
  return { ...intent, unknownPolls, problem: 'unknown_to_anchor' };
}

/**
 * The intent after an observation; the same intent where it is older than the last one, or there is no transaction.
 * `nowMs` is when the record is stored: what it says of the payment concerns only ledgers that close later.
 */
export function observe(
  intent: Intent,
  seen: Observation,
  nowMs: number,
  { ledger }: { ledger: boolean },
): Intent {
  const before = intent.observations;
  if (intent.attachedAt === null || isOld(seen, before)) return intent;
  const record = asPaidOut(seen.record, intent.corridorTerms);
  const times = { observedAtMs: seen.observedAtMs, storedAtMs: nowMs };
  const observations = addObservation(before, record, times, intent.attachedAt.getTime());
  const told = toldBy(record, intent.told, before.fundedAtMs !== null);
  const judgement = judge(intent, observations, told);
  return {
    ...intent,
    ...judgement,
    observations: { ...observations, faultySinceMs: faultySince(intent, judgement.unscoredReason, nowMs) },
    told,
    problem: problemOf(told, intent),
    payment: ledger ? withRecord(intent.payment, record, nowMs) : intent.payment,
  };
}

/** The intent after this payment, whose ledger's close is the receipt of the funds. The outcome is not decided here. */
export function paidBy(intent: Intent, found: FoundPayment): Intent {
  const { closedAtMs } = found;
  const { unscoredReason, attachedAt, account, told } = intent;
  const { faultySinceMs } = intent.observations;
  // Only a fault from before the payment stays: a paid anchor could otherwise keep its failures unscored by later records.
  const stoodBefore = typeof faultySinceMs === 'number' && faultySinceMs < closedAtMs;
  const lasting = stoodBefore && faultsOfWithdrawal.has(unscoredReason) ? unscoredReason : null;
  const isLate = attachedAt !== null && attachedAt.getTime() >= closedAtMs + closeUnitMs;
  return {
    ...intent,
    observations: { ...intent.observations, fundedAtMs: closedAtMs, paidAtMs: closedAtMs },
    unscoredReason: lasting ?? (isLate ? 'seen_after_payment' : null),
    amountIn: found.amount,
    // The ledger has shown who paid.
    told: told === null ? null : { ...told, from: account },
    payment: { ...intent.payment, found },
  };
}

/**
 * Only cash can wait to be collected: an anchor that says so of a transfer has the payment and still has to pay out. It
 * would otherwise never be overdue, and its payout time would end before the payout.
 */
function asPaidOut(
  record: TransactionRecord,
  { mayBeCollected }: Intent['corridorTerms'],
): TransactionRecord {
  if (mayBeCollected || record.status.group !== 'ready') return record;
  return { ...record, status: { ...record.status, group: 'open' } };
}

/** A member that a record omits stays as it was. An anchor cannot describe the withdrawal differently once it was paid. */
function toldBy(record: TransactionRecord, before: Told | null, isFunded: boolean): Told {
  const { refunded, amountIn, amountOut, unreadable } = record;
  const amountOutAsset = record.amountOutAsset ?? before?.amountOutAsset ?? null;
  const amounts = { refunded, amountIn, amountOut, amountOutAsset, unreadable };
  if (isFunded && before !== null) return { ...before, ...amounts };
  return {
    ...amounts,
    kind: record.kind ?? before?.kind ?? null,
    from: record.from ?? before?.from ?? null,
    amountInAsset: record.amountInAsset ?? before?.amountInAsset ?? null,
    startedAtMs: record.startedAtMs ?? before?.startedAtMs ?? null,
  };
}

function faultySince(
  before: Intent,
  unscoredReason: Intent['unscoredReason'],
  storedAtMs: number,
): number | null {
  if (!faultsOfWithdrawal.has(unscoredReason)) return null;
  const wasFaulty = faultsOfWithdrawal.has(before.unscoredReason);
  return (wasFaulty ? before.observations.faultySinceMs : null) ?? storedAtMs;
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
 * Records up to the first observation of funds decide what kind of transaction it is, and the first one that names
 * `amountIn` fixes it; an anchor cannot change that afterwards.
 */
function judge(intent: Intent, after: Observations, told: Told): Pick<Intent, 'unscoredReason' | 'amountIn'> {
  const { observations: before, sellAmount } = intent;
  let { unscoredReason, amountIn } = intent;
  if (before.fundedAtMs === null) {
    // A transaction that passed from another intent may have been observed only before it was presented here.
    const late = before.unfundedAtMs === null && after.fundedAtMs !== null;
    unscoredReason = identityFault(told, intent) ?? (late ? 'seen_after_payment' : null);
  }
  if (after.fundedAtMs !== null && amountIn === null && told.amountIn !== null) {
    amountIn = told.amountIn;
    if (!isAnnouncedAmount(amountIn, sellAmount)) unscoredReason ??= 'amount_mismatch';
  }
  return { unscoredReason, amountIn };
}
