import { toInstant } from '../../server/ports.js';
import type { AnchorContext } from './context.js';
import type { Withdrawal } from './withdrawal.js';

/** `2026-11-21T09:30:00.250Z`; the old dialect knows whole seconds and leaves the zone out. */
function wireInstant(epochMs: number, old: boolean): string {
  const instant = toInstant(epochMs);
  return old ? instant.slice(0, 19) : instant;
}

/** A memo the anchor would know the payment by: twelve digits of the id. */
function memoOf(id: string): string {
  return String(Number.parseInt(id.replaceAll('-', '').slice(0, 9), 16));
}

function feeFields({ fee, sellAsset, protocol }: Withdrawal, old: boolean) {
  if (fee === null) return {};
  if (old) return { amount_fee: fee };
  // SEP-24 calls the parts `breakdown`, SEP-6 `details`.
  const parts = [{ name: 'Service fee', amount: fee }];
  return {
    fee_details: {
      total: fee,
      asset: sellAsset,
      ...(protocol === 'sep24' ? { breakdown: parts } : { details: parts }),
    },
  };
}

function refundFields({ refund }: Withdrawal) {
  if (refund === null) return {};
  if (refund.way === 'flag') return { refunded: true };
  const payment = { id: refund.stellarTransactionId, id_type: 'stellar', amount: refund.amount, fee: '0' };
  return { refunds: { amount_refunded: refund.amount, amount_fee: '0', payments: [payment] } };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The transaction as SEP-24 and SEP-6 show it; the old dialect names no assets, details or zones. */
export function transactionView(context: AnchorContext, withdrawal: Withdrawal): Record<string, unknown> {
  const old = context.temper().protocol === 'sep38-old';
  const { id, protocol, status, completedMs } = withdrawal;
  const awaited = status === 'pending_user_transfer_start';
  return withoutNulls({
    id,
    kind: withdrawal.kind,
    status,
    message: withdrawal.message,
    more_info_url: `${context.origin()}/${protocol}/more-info/${id}`,
    amount_in: withdrawal.amountIn,
    amount_out: withdrawal.amountOut,
    ...(old ? {} : { amount_in_asset: withdrawal.sellAsset, amount_out_asset: withdrawal.buyAsset }),
    ...feeFields(withdrawal, old),
    quote_id: withdrawal.quoteId,
    started_at: wireInstant(withdrawal.startedMs, old),
    updated_at: wireInstant(withdrawal.updatedMs, old),
    completed_at: completedMs === null ? null : wireInstant(completedMs, old),
    stellar_transaction_id: withdrawal.stellarTransactionId,
    external_transaction_id: completedMs === null ? null : `SIM-${id.slice(0, 8)}`,
    ...refundFields(withdrawal),
    from: withdrawal.from,
    // Bank data in a record is what a reader must neither store nor log: here is some that is nobody's.
    to: status === 'incomplete' ? null : 'SIMULATED BANK 0123456789',
    withdraw_anchor_account: awaited ? context.receivingAccount : null,
    withdraw_memo: awaited ? memoOf(id) : null,
    withdraw_memo_type: awaited ? 'id' : null,
    ...withdrawal.amended,
  });
}

/** What `GET /withdraw` of SEP-6 answers: where to pay. */
export function paymentInstructions(context: AnchorContext, { id }: Withdrawal) {
  return { id, account_id: context.receivingAccount, memo_type: 'id', memo: memoOf(id) };
}
