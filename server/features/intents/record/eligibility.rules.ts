import { Decimal } from 'decimal.js';
import { isAsset } from '../../../../contract/anchor-documents/values.js';
import type {
  OutcomeReason,
  TransactionProblem,
  UnscoredReason,
} from '../../../../contract/schemas/intents.js';
import type { Intent, Told } from '../intent.js';

/** Anchors' clocks differ from ours. Old transactions are mainly excluded by the required observation before payment. */
const startedAtToleranceMs = 60_000;

const withdrawalKinds: ReadonlySet<string> = new Set(['withdrawal', 'withdrawal-exchange']);
const amountTolerance = '0.1';

/** Faults of the withdrawal itself, which no payment corrects; the ledger shows sender, amount and time more reliably. */
export const faultsOfWithdrawal: ReadonlySet<UnscoredReason | null> = new Set([
  'not_a_withdrawal',
  'asset_mismatch',
  'started_before_intent',
]);

/** The faults by which the wallet recognises that it attached a wrong id. */
const problems: Partial<Record<UnscoredReason, TransactionProblem>> = {
  not_a_withdrawal: 'not_a_withdrawal',
  sender_mismatch: 'other_account',
  asset_mismatch: 'other_asset',
};

/** Why what was told shows that the transaction cannot belong to this intent; null where it shows no such fault. */
export function identityFault(
  { kind, from, amountInAsset, amountOutAsset, startedAtMs }: Told,
  { account, createdAt, corridorTerms }: Intent,
): UnscoredReason | null {
  if (kind === null || !withdrawalKinds.has(kind)) return 'not_a_withdrawal';
  if (from !== null && from !== account) return 'sender_mismatch';
  const { sellAsset, buyAsset } = corridorTerms;
  if (!isAsset(amountInAsset ?? sellAsset, sellAsset)) return 'asset_mismatch';
  if (!isAsset(amountOutAsset ?? buyAsset, buyAsset)) return 'asset_mismatch';
  const isTooEarly = startedAtMs !== null && startedAtMs < createdAt.getTime() - startedAtToleranceMs;
  return isTooEarly ? 'started_before_intent' : null;
}

/** The problem that the records show with the attached id; null where there is none. */
export function problemOf(told: Told, intent: Intent): TransactionProblem | null {
  const fault = identityFault(told, intent);
  const problem = fault === null ? undefined : problems[fault];
  if (problem !== undefined) return problem;
  return told.unreadable.some((member) => /^(refunds\.)?amount_/.test(member)) ? 'unreadable_amount' : null;
}

/** Whether what was paid in is within 10 % of what the intent announced. */
export function isAnnouncedAmount(amountIn: string, sellAmount: string): boolean {
  const announced = new Decimal(sellAmount);
  return announced.minus(amountIn).abs().lte(announced.times(amountTolerance));
}

/** The amount that was paid in. The one found on the ledger does not depend on the anchor's records. */
export function paidIn({ amountIn, told, payment }: Intent): string | null {
  const named = told?.amountIn ?? null;
  if (payment.found !== null || amountIn === null || named === null) return amountIn ?? named;
  return new Decimal(named).gt(amountIn) ? named : amountIn;
}

/** Why an outcome of this kind counts for nobody; null where it may count. */
export function faultOfEnd(intent: Intent, reason: OutcomeReason): UnscoredReason | null {
  const amountIn = paidIn(intent);
  if (reason === 'customer_absent') return 'customer_absent';
  // Whoever pays another amount than announced has it sent back by many an honest anchor.
  if (reason === 'refunded')
    return amountIn === null || new Decimal(amountIn).eq(intent.sellAmount) ? null : 'amount_mismatch';
  if (reason !== 'completed' && reason !== 'recovered') return null;
  const { amountOut = null, unreadable = [] } = intent.told ?? {};
  const isUnread = unreadable.some(
    (member) =>
      (member === 'amount_in' && amountIn === null) ||
      (member === 'amount_out' && amountOut === null) ||
      member === 'refunds.amount_refunded',
  );
  if (isUnread) return 'amount_unreadable';
  return amountIn === null ? 'amount_missing' : null;
}
