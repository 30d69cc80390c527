import { fromBase64, utf8 } from '../verification/bytes.js';
import type { IntentTerms } from '../verification/intent-hash.js';
import { baseAccount, isAccount, isMuxed } from './addresses.js';
import type { AnchorRecord } from './sep24.js';
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

const amountForm = /^\d{1,20}(\.\d{1,20})?$/;
const decimals = 20;
const maxId = 2n ** 64n;

/** A decimal of at most 20 places as a whole number, for comparing. */
function scaled(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The payment instructions of a record, or the reason why they must not be followed. */
export function readInstructions(
  record: AnchorRecord,
  expected: { withdrawalId: string; terms: IntentTerms; anchor: OfframpAnchor },
): PaymentInstructions | InstructionFault {
  const { terms, anchor } = expected;
  const text = (name: string) => {
    const value = record[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  if (record.id !== expected.withdrawalId || record.kind !== 'withdrawal') return 'other_transaction';
  const { assetCode, assetIssuer } = anchor;
  const asset = assetIssuer === null ? 'stellar:native' : `stellar:${assetCode}:${assetIssuer}`;
  if ((text('amount_in_asset') ?? asset) !== asset) return 'asset';
  if ((text('amount_out_asset') ?? anchor.destinationAsset) !== anchor.destinationAsset)
    return 'payout_asset';

  const amount = text('amount_in') ?? '';
  if (!amountForm.test(amount) || scaled(amount) === 0n || (amount.split('.')[1] ?? '').length > 7)
    return 'amount';
  if (scaled(amount) > scaled(terms.sellAmount)) return 'amount_above_quote';
  const payout = text('amount_out');
  if (terms.minReceive !== undefined && payout !== undefined && text('amount_out_asset') !== undefined) {
    if (!amountForm.test(payout) || scaled(payout) < scaled(terms.minReceive)) return 'payout_below_minimum';
  }

  const from = text('from');
  if (from !== undefined && baseAccount(from) !== terms.account) return 'sender';
  const destination = text('withdraw_anchor_account') ?? '';
  if (!isAccount(destination) && !isMuxed(destination)) return 'destination';
  if (baseAccount(destination) === terms.account) return 'destination';
  const memo = readMemo(text('withdraw_memo_type'), text('withdraw_memo'), isMuxed(destination));
  return typeof memo === 'string' ? memo : { destination, amount, memo };
}

/** A muxed account identifies the payment itself, so a memo beside it is a fault. */
function readMemo(
  type: string | undefined,
  value: string | undefined,
  muxed: boolean,
): PaymentInstructions['memo'] | 'memo' | 'memo_type' {
  if (value === undefined) return muxed ? null : 'memo';
  if (type !== 'text' && type !== 'id' && type !== 'hash') return 'memo_type';
  if (muxed || !isMemo(type, value)) return 'memo';
  return { type, value };
}

function isMemo(type: 'text' | 'id' | 'hash', value: string): boolean {
  if (type === 'text') return utf8(value).length <= 28;
  if (type === 'id') return /^\d{1,20}$/.test(value) && BigInt(value) < maxId;
  try {
    return fromBase64(value).length === 32;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function sameInstructions(a: PaymentInstructions, b: PaymentInstructions): boolean {
  const { memo: memoA, ...restA } = a;
  const { memo: memoB, ...restB } = b;
  return (
    restA.destination === restB.destination &&
    scaled(restA.amount) === scaled(restB.amount) &&
    memoA?.type === memoB?.type &&
    memoA?.value === memoB?.value
  );
}
