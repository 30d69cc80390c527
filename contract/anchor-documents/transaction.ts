import { asObject, type Refused } from './json.js';
import { instantMs, readAmount, unreadable } from './values.js';

/** An anchor's record of a transaction (SEP-24, SEP-6), reduced to what is used. Nothing else of it is kept anywhere. */
export interface AnchorTransaction {
  id: string;
  kind: string | null;
  /** The status word in lower case. */
  status: string;
  /** Sender of the payment, where named. */
  from: string | null;
  /** Plain decimals; null where absent or unreadable, and `unreadable` tells which. */
  amountIn: string | null;
  amountInAsset: string | null;
  amountOut: string | null;
  amountOutAsset: string | null;
  amountRefunded: string | null;
  refundFee: string | null;
  /** Whether the record says by itself that the payment was sent back. */
  saysRefunded: boolean;
  startedAtMs: number | null;
  completedAtMs: number | null;
  /** When the funds were received. Not a member of SEP-6 or SEP-24; some anchors pass it on from Anchor Platform. */
  receivedAtMs: number | null;
  /** When the transaction reached its present status. */
  updatedAtMs: number | null;
  /** The ledger transaction that the record names as the payment. */
  stellarTransaction: string | null;
  /** Where to pay the withdrawal, as the record writes it. */
  payTo: { account: string; memo: string | null; memoType: string | null } | null;
  /** The members that are there and cannot be read. */
  unreadable: readonly string[];
}

const maxIdLength = 128;
const maxTextLength = 200;

/** Reads a transaction by allow-list, bare or as `{transaction: …}`. Never throws, whatever the members are. */
export function readTransaction(json: unknown): AnchorTransaction | Refused {
  const outer = asObject(json);
  const raw = asObject(outer?.transaction) ?? outer;
  if (raw === null) return { refused: 'it is no JSON object' };
  const id = readId(raw.id);
  if (id === null) return { refused: 'transaction.id is no id' };
  const status = shortText(raw.status);
  if (status === null) return { refused: 'transaction.status is no word' };
  const refunds = asObject(raw.refunds);
  const unread: string[] = [];
  const amount = (member: string, value: unknown) => {
    const read = readAmount(value);
    if (read === unreadable) unread.push(member);
    return read === unreadable ? null : read;
  };
  const memo = readMemoText(raw.withdraw_memo);
  if (memo === unreadable) unread.push('withdraw_memo');
  const account = shortText(raw.withdraw_anchor_account);
  return {
    id,
    kind: lowerCase(raw.kind),
    status: status.toLowerCase(),
    from: shortText(raw.from),
    amountIn: amount('amount_in', raw.amount_in),
    amountInAsset: shortText(raw.amount_in_asset),
    amountOut: amount('amount_out', raw.amount_out),
    amountOutAsset: shortText(raw.amount_out_asset),
    amountRefunded: amount('refunds.amount_refunded', refunds?.amount_refunded),
    refundFee: amount('refunds.amount_fee', refunds?.amount_fee),
    saysRefunded: raw.refunded === true || raw.refunded === 'true',
    startedAtMs: instantMs(raw.started_at),
    completedAtMs: instantMs(raw.completed_at),
    receivedAtMs: instantMs(raw.transfer_received_at),
    updatedAtMs: instantMs(raw.updated_at),
    stellarTransaction: shortText(raw.stellar_transaction_id),
    payTo:
      account === null
        ? null
        : {
            account,
            memo: memo === unreadable ? null : memo,
            memoType: memo === null ? null : readMemoType(raw.withdraw_memo_type),
          },
    unreadable: unread,
  };
}

/** Some anchors number their transactions; the id is compared with what the wallet was told. */
export function readId(value: unknown): string | null {
  const text = isWhole(value) ? String(value) : shortText(value);
  return text !== null && text.length <= maxIdLength ? text : null;
}

/** Not trimmed: the spaces of a text memo belong to it. */
function readMemoText(value: unknown): string | null | typeof unreadable {
  if (value === undefined || value === null || value === '') return null;
  if (isWhole(value)) return String(value);
  return typeof value === 'string' && value.length <= maxTextLength ? value : unreadable;
}

/** `id`, `ID` and `MEMO_ID` are one; null where none is named. */
function readMemoType(value: unknown): string | null {
  const word = lowerCase(value)?.replace(/^memo_/, '') ?? 'none';
  return word === 'none' ? null : word;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function lowerCase(value: unknown): string | null {
  return shortText(value)?.toLowerCase() ?? null;
}

function shortText(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return text !== '' && text.length <= maxTextLength ? text : null;
}
