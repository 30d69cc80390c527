import { readMemo } from '../../../../contract/anchor-documents/values.js';
import type { PaymentProblem } from '../../../../contract/schemas/payments.js';
import type {
  LedgerMemo,
  LedgerPayment,
  LedgerTransaction,
} from '../../../ledger/ledger-transaction.rules.js';
import type { Intent } from '../intent.js';
import { isAnnouncedAmount } from '../record/eligibility.rules.js';
import { accountOf, muxedIdOf } from '../record/sep-record.rules.js';
import type { Instructions } from './payment-state.rules.js';

/** The latest close of a payment that counts: `lateFundsMs` after the deadline, or when the anchor closed the withdrawal. */
export function payableUntilMs({ deadline, observations }: Intent): number {
  return Math.min(deadline.getTime() + lateFundsMs, observations.closedSinceMs ?? Number.POSITIVE_INFINITY);
}

/** Why a transaction does not pay this withdrawal. */
export interface Refusal {
  problem: PaymentProblem;
  /** Whether no honest anchor can have taken the transaction for a payment of this withdrawal, whoever paid. */
  contradicts: boolean;
  /** Other accounts that paid this withdrawal. */
  payers: string[];
}

/** A transaction the user may still pay is followed this long beyond the intent's own deadline. */
export const lateFundsMs = 86_400_000;
/** Ledgers close at whole seconds: one that closed "at 10" may have closed just before 11. */
export const closeUnitMs = 1_000;

/**
 * Whether a transaction of the ledger pays the withdrawal: it succeeded, closed after the intent was registered, and
 * holds an operation from the intent's account to the account and memo that a record named before it closed, in the
 * intent's asset, of the announced amount within 10 %. Returns those operations in their order; some may already be the
 * payment of another intent.
 */
export function matchPayment(transaction: LedgerTransaction, intent: Intent): LedgerPayment[] | Refusal {
  const { closedAtMs, payments } = transaction;
  const { instructions } = intent.payment;
  if (!transaction.successful) return refused('transaction_failed', { contradicts: true });
  // Assets also move in ways that are not read here, which an honest anchor may have credited.
  if (payments.length === 0) return refused('no_payment', { contradicts: false });
  const known = withReference(instructions.filter(({ storedAtMs }) => storedAtMs < closedAtMs + closeUnitMs));
  const paysAnchor = payments.some(({ to }) => instructions.some(({ account }) => accountOf(account) === to));
  const contradicts = instructions.length > 0 && !paysAnchor;
  if (closedAtMs + closeUnitMs <= intent.createdAt.getTime()) return refused('too_early', { contradicts });
  if (closedAtMs > payableUntilMs(intent)) return refused('too_late', { contradicts });
  if (known.length === 0) {
    const own = payments.some(({ from }) => from === intent.account);
    return refused(own ? 'no_instructions' : 'other_sender', { contradicts });
  }
  const faults = payments.map((payment) => faultOf(payment, transaction.memo, intent, known));
  const matching = payments.filter((_, place) => faults[place] === null);
  if (matching.length > 0) return matching;
  const payers = payments.filter((payment, place) => {
    const asOwn = { ...intent, account: payment.from };
    return faults[place] === 'other_sender' && faultOf(payment, transaction.memo, asOwn, known) === null;
  });
  // Of several operations, the closest match is reported, since the others pay somebody else.
  const problem = nearness.find((each) => faults.includes(each)) ?? 'other_sender';
  return { problem, contradicts, payers: [...new Set(payers.map(({ from }) => from))] };
}

/** Drops instructions without a memo where others name the same account with one: a payment then needs the memo. */
function withReference(known: readonly Instructions[]): Instructions[] {
  return known.filter(
    ({ account, memo }) =>
      memo !== null || !known.some((each) => each.account === account && each.memo !== null),
  );
}

type Fault = (typeof nearness)[number];
const nearness = [
  'amount_mismatch',
  'wrong_memo',
  'other_asset',
  'other_destination',
  'other_sender',
] as const;

export function refused(problem: PaymentProblem, { contradicts }: { contradicts: boolean }): Refusal {
  return { problem, contradicts, payers: [] };
}

function faultOf(
  payment: LedgerPayment,
  memo: LedgerMemo | null,
  { account, corridorTerms: { sellAsset }, sellAmount }: Intent,
  known: readonly Instructions[],
): Fault | null {
  if (payment.from !== account) return 'other_sender';
  const toAccount = known.filter((each) => accountOf(each.account) === payment.to);
  if (toAccount.length === 0) return 'other_destination';
  if (payment.asset !== sellAsset) return 'other_asset';
  if (!toAccount.some((each) => hasReference(payment, memo, each))) return 'wrong_memo';
  return isAnnouncedAmount(payment.amount, sellAmount) ? null : 'amount_mismatch';
}

/** Whether the payment carries the withdrawal's memo or muxed id; a muxed id stands for a memo of type `id` as well. */
function hasReference(
  { toMuxedId }: LedgerPayment,
  memo: LedgerMemo | null,
  { account, memo: wanted, memoType }: Instructions,
): boolean {
  const muxedId = muxedIdOf(account);
  if (wanted === null && muxedId === null) return true;
  const carried: LedgerMemo[] = [...(memo === null ? [] : [memo])];
  if (toMuxedId !== null) carried.push({ type: 'id', value: toMuxedId });
  return carried.some(
    (each) =>
      (wanted !== null && isMemo(each, wanted, memoType)) ||
      (muxedId !== null && each.type === 'id' && each.value === muxedId),
  );
}

/** Some anchors omit the memo type; any type that the payment's memo has is then accepted. */
function isMemo(carried: LedgerMemo, wanted: string, wantedType: string | null): boolean {
  if (wantedType !== null && wantedType !== carried.type) return false;
  return readMemo(carried.type, wanted) === carried.value;
}
