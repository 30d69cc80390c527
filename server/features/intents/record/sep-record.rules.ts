import { Decimal } from 'decimal.js';
import { isRefused, type Refused } from '../../../../contract/anchor-documents/json.js';
import {
  type AnchorTransaction,
  readTransaction,
} from '../../../../contract/anchor-documents/transaction.js';
import { fromBase32 } from '../../../../contract/verification/bytes.js';
import { encodePublicKey } from '../../../../contract/verification/strkey.js';

/** An anchor's record of a transaction, reduced to what an outcome needs. Nothing else of it is kept anywhere. */
export interface TransactionRecord
  extends Omit<AnchorTransaction, 'status' | 'saysRefunded' | 'amountRefunded' | 'refundFee'> {
  /** The sender's account (G…), of which a muxed address is one; `none` for any other sender. */
  from: string | null;
  status: ReadStatus;
  /** Whether the payment was sent back in full, by today's status or by the older members. */
  refunded: boolean;
}

/** Reads a record of SEP-24 or SEP-6, whose words mean the same. Never throws, whatever the status word. */
export function readRecord(json: unknown): TransactionRecord | Refused {
  const read = readTransaction(json);
  if (isRefused(read)) return read;
  const { status: word, saysRefunded, amountRefunded, refundFee, ...rest } = read;
  const status = readStatus(word);
  const from = read.from === null ? null : (accountOf(read.from) ?? noAccount);
  return { ...rest, from, status, payTo: payToOf(read), refunded: isRefunded(read, status) };
}

/** Stands for a sender that is no account: it may be a bank account, which is not kept. */
const noAccount = 'none';

/** Whether the record proves that the user's payment arrived: its ledger transaction, or a status that follows it. */
export function provesFunds(record: TransactionRecord): boolean {
  return record.stellarTransaction !== null || record.status.provesFunds || record.refunded;
}

/**
 * Only a Stellar address is kept, since other members may hold bank accounts. Null where there is a memo that cannot be
 * read: otherwise any memo would match.
 */
function payToOf({ payTo, unreadable }: AnchorTransaction): TransactionRecord['payTo'] {
  if (payTo === null || unreadable.includes('withdraw_memo')) return null;
  return accountOf(payTo.account) === null ? null : payTo;
}

/**
 * Today the status is `refunded`. Older anchors write `error` or `completed` with `refunded: true`; some only fill
 * `refunds`, which then covers `amount_in`. A refund still under way (`pending_…`) does not count yet.
 */
function isRefunded(raw: AnchorTransaction, { group }: ReadStatus): boolean {
  if (group === 'refunded') return true;
  if (group !== 'completed' && group !== 'closed') return false;
  const { saysRefunded, amountRefunded, refundFee, amountIn } = raw;
  if (saysRefunded) return true;
  if (amountRefunded === null || amountIn === null || new Decimal(amountIn).isZero()) return false;
  return new Decimal(amountRefunded).plus(refundFee ?? 0).gte(amountIn);
}

const plainForm = /^G[A-Z2-7]{55}$/;
const muxedForm = /^M[A-Z2-7]{68}$/;

/** The `G…` account of a sender, which may be a muxed `M…` address; null for anything else, such as a bank account. */
export function accountOf(sender: string): string | null {
  if (plainForm.test(sender)) return sender;
  if (!muxedForm.test(sender)) return null;
  // SEP-23 lays out both kinds as a version byte, 32 key bytes and the rest. 53 characters hold the first 33 bytes.
  const bytes = fromBase32(sender.slice(0, 53));
  return bytes === null ? null : encodePublicKey(bytes.subarray(1));
}

/** The 64-bit id of a muxed account (`M…`); null for anything else. */
export function muxedIdOf(address: string): string | null {
  if (!muxedForm.test(address)) return null;
  // The version byte, the key, 8 bytes of id and 2 of a checksum: 43 bytes in 69 characters.
  const bytes = fromBase32(address);
  return bytes === null ? null : Buffer.from(bytes).readBigUInt64BE(33).toString();
}

/**
 * What a status word means for an intent:
 * - `open`: under way, whoever has to act next
 * - `asked`: under way, and waits for the customer to answer a question
 * - `ready`: cash lies ready for pick-up; the anchor has done its part
 * - `completed`, `refunded`: the anchor is done
 * - `closed`: given up by the anchor; may still be taken up again
 */
export type StatusGroup = 'open' | 'asked' | 'ready' | 'completed' | 'refunded' | 'closed';

interface Meaning {
  group: StatusGroup;
  /**
   * Whether a withdrawal reaches this status only after the user's payment arrived. `pending_anchor` also stands for
   * KYC before the payment, and `error` may come before it, so neither proves funds.
   */
  provesFunds: boolean;
}

const open = { group: 'open', provesFunds: false } as const;
const asked = { group: 'asked', provesFunds: false } as const;
const closed = { group: 'closed', provesFunds: false } as const;

/** The union of the status words of SEP-24 v3.8.0 and SEP-6 v4.3.0, as they apply to withdrawals. */
export const statusTable = {
  incomplete: open,
  pending_user_transfer_start: open,
  // "the Stellar payment has been successfully received by the anchor and the off-chain funds are available"
  pending_user_transfer_complete: { group: 'ready', provesFunds: true },
  // "submitted to external network": for a withdrawal that is the payout itself
  pending_external: { group: 'open', provesFunds: true },
  pending_anchor: open,
  // "additional checks after receiving user's funds"
  on_hold: { group: 'open', provesFunds: true },
  pending_stellar: open,
  pending_trust: open,
  pending_user: asked,
  // Words of SEP-6 that SEP-24 does not have; what they ask is the same.
  pending_customer_info_update: asked,
  pending_transaction_info_update: asked,
  completed: { group: 'completed', provesFunds: true },
  refunded: { group: 'refunded', provesFunds: true },
  // "funds were never received by the anchor": ends at once where nothing proves otherwise
  expired: closed,
  error: closed,
  no_market: closed,
  too_small: closed,
  too_large: closed,
} as const satisfies Record<string, Meaning>;

export type StatusWord = keyof typeof statusTable;

/** Stands for a word outside the table: still open, and no proof of anything. */
export const unrecognisedStatus = 'unrecognised';

export interface ReadStatus extends Meaning {
  word: StatusWord | typeof unrecognisedStatus;
}

/** Reads a status word. Never throws: anchors invent words, and one we do not know means "still open". */
export function readStatus(word: string): ReadStatus {
  if (!Object.hasOwn(statusTable, word)) return { word: unrecognisedStatus, ...open };
  return { word: word as StatusWord, ...statusTable[word as StatusWord] };
}

/** What cannot be read of a record, for the log; null where everything can. */
export function unreadOf(read: TransactionRecord | Refused): string | null {
  if (isRefused(read)) return read.refused;
  return read.unreadable.length === 0 ? null : `${read.unreadable.join(', ')} cannot be read`;
}
