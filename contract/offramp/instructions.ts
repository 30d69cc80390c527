import { MuxedAccount, StrKey } from '@stellar/stellar-base';
import { Decimal } from 'decimal.js';
import type { AnchorTransaction } from '../anchor-documents/transaction.js';
import { isAsset, readMemo } from '../anchor-documents/values.js';
import type { IntentTerms } from '../verification/intent-hash.js';
import type { OfframpAnchor, PaymentInstructions } from './state.js';

/** Why the payment that an anchor asks for is not made. */
export const instructionFaults = {
  other_transaction: 'The record is that of another transaction, or not of a withdrawal.',
  asset: 'It asks for another asset than the one that was quoted.',
  payout_asset: 'It would pay out another currency than the one that was quoted.',
  amount: 'It names no amount to pay, or none that can be paid.',
  amount_above_quote: 'It asks for more than was quoted.',
  payout_below_minimum: 'It would pay out less than `minReceive`.',
  sender: 'It expects the payment from another account.',
  destination: 'The account to pay is no Stellar account, or is that of the wallet itself.',
  memo_type: 'The type of the memo is none of text, id and hash.',
  memo: 'The memo is missing or not of its type.',
} as const;

export type InstructionFault = keyof typeof instructionFaults;

const ledgerPlaces = 7;

/** The payment instructions of a record, or the reason why they must not be followed. */
export function readInstructions(
  record: AnchorTransaction,
  expected: { withdrawalId: string; terms: IntentTerms; anchor: OfframpAnchor },
): PaymentInstructions | InstructionFault {
  const { terms, anchor } = expected;
  const { amountIn, amountOut, payTo, from, unreadable } = record;
  if (record.id !== expected.withdrawalId || record.kind !== 'withdrawal') return 'other_transaction';
  const { assetCode, assetIssuer, destinationAsset } = anchor;
  const asset = assetIssuer === null ? 'stellar:native' : `stellar:${assetCode}:${assetIssuer}`;
  if (!isAsset(record.amountInAsset ?? asset, asset)) return 'asset';
  if (!isAsset(record.amountOutAsset ?? destinationAsset, destinationAsset)) return 'payout_asset';

  const amount = new Decimal(amountIn ?? 0);
  if (amountIn === null || amount.isZero() || amount.decimalPlaces() > ledgerPlaces) return 'amount';
  if (amount.gt(terms.sellAmount)) return 'amount_above_quote';
  if (terms.minReceive !== undefined && record.amountOutAsset !== null) {
    const isLess = amountOut !== null && new Decimal(amountOut).lt(terms.minReceive);
    if (isLess || unreadable.includes('amount_out')) return 'payout_below_minimum';
  }

  if (from !== null && baseAccount(from) !== terms.account) return 'sender';
  const destination = payTo?.account ?? '';
  if (!isAccount(destination) && !isMuxed(destination)) return 'destination';
  if (baseAccount(destination) === terms.account) return 'destination';
  if (unreadable.includes('withdraw_memo')) return 'memo';
  const memo = memoOf(payTo, isMuxed(destination));
  return typeof memo === 'string' ? memo : { destination, amount: amountIn, memo };
}

/** A muxed account identifies the payment itself, so a memo beside it is a fault. */
function memoOf(
  payTo: AnchorTransaction['payTo'],
  muxed: boolean,
): PaymentInstructions['memo'] | 'memo' | 'memo_type' {
  const { memo, memoType: type } = payTo ?? {};
  if (memo == null) return muxed ? null : 'memo';
  if (type !== 'text' && type !== 'id' && type !== 'hash') return 'memo_type';
  const value = readMemo(type, memo);
  return muxed || value === undefined ? 'memo' : { type, value };
}

export function sameInstructions(a: PaymentInstructions, b: PaymentInstructions): boolean {
  return (
    a.destination === b.destination &&
    a.amount === b.amount &&
    a.memo?.type === b.memo?.type &&
    a.memo?.value === b.memo?.value
  );
}

/** True for a well-formed `G…`. */
export function isAccount(text: string): boolean {
  return StrKey.isValidEd25519PublicKey(text);
}

/** True for a well-formed `M…`. */
export function isMuxed(text: string): boolean {
  return StrKey.isValidMed25519PublicKey(text);
}

/** The `G…` that a `G…` or `M…` pays into. */
export function baseAccount(address: string): string {
  return isMuxed(address) ? MuxedAccount.fromAddress(address, '0').baseAccount().accountId() : address;
}
