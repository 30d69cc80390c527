import { Decimal } from 'decimal.js';
import { plainDecimal } from '../../amounts.rules.js';
import { accountOf } from './accounts.rules.js';
import { type Dialect, type ReadStatus, readStatus } from './status-table.rules.js';

/** An anchor's record of a transaction, reduced to what an outcome needs. Nothing else of it is kept anywhere. */
export interface TransactionRecord {
  id: string;
  kind: string | null;
  status: ReadStatus;
  /** Sender of the payment, where named. */
  from: string | null;
  /** Decimal strings without exponent; null where absent or unreadable. */
  amountIn: string | null;
  amountInAsset: string | null;
  amountOut: string | null;
  amountOutAsset: string | null;
  startedAtMs: number | null;
  completedAtMs: number | null;
  /** When the funds were received. Not a member of SEP-6 or SEP-24; some anchors pass it on from Anchor Platform. */
  receivedAtMs: number | null;
  /** When the transaction reached its present status. */
  updatedAtMs: number | null;
  /** The ledger transaction that the record names as the payment. */
  stellarTransaction: string | null;
  /** Where to pay the withdrawal, according to the record. */
  payTo: { account: string; memo: string | null; memoType: string | null } | null;
  /** Whether the payment was sent back in full, by today's status or by the older members. */
  refunded: boolean;
}

const maxIdLength = 128;
const maxTextLength = 200;
/** Anchor Platform's own bound on amounts, against exponent bombs. */
const maxDigits = 20;

/**
 * Reads a transaction by allow-list, bare or as `{transaction: …}`. Null where it is no record at all: not an object,
 * no id or no status. A member of the wrong type counts as absent. Never throws, whatever the status word.
 */
export function readRecord(json: unknown, dialect: Dialect): TransactionRecord | null {
  const outer = asObject(json);
  const raw = asObject(outer?.transaction) ?? outer;
  if (raw === null) return null;
  const id = idText(raw.id);
  const word = shortText(raw.status);
  if (id === null || word === null) return null;
  const status = readStatus(dialect, word);
  const amountIn = decimalText(raw.amount_in);
  return {
    id,
    kind: shortText(raw.kind),
    status,
    from: shortText(raw.from),
    amountIn,
    amountInAsset: shortText(raw.amount_in_asset),
    amountOut: decimalText(raw.amount_out),
    amountOutAsset: shortText(raw.amount_out_asset),
    startedAtMs: instantMs(raw.started_at),
    completedAtMs: instantMs(raw.completed_at),
    receivedAtMs: instantMs(raw.transfer_received_at),
    updatedAtMs: instantMs(raw.updated_at),
    stellarTransaction: shortText(raw.stellar_transaction_id),
    payTo: readPayTo(raw),
    refunded: isRefunded(raw, status, amountIn),
  };
}

/** Whether the record proves that the user's payment arrived: its ledger transaction, or a status that follows it. */
export function provesFunds(record: TransactionRecord): boolean {
  return record.stellarTransaction !== null || record.status.provesFunds || record.refunded;
}

/**
 * Reads only a Stellar address, since other members may hold bank accounts. Null where there is a memo that cannot be
 * read: otherwise any memo would match.
 */
function readPayTo(raw: Record<string, unknown>): TransactionRecord['payTo'] {
  const account = shortText(raw.withdraw_anchor_account);
  if (account === null || accountOf(account) === null) return null;
  const { withdraw_memo: memo } = raw;
  const told = typeof memo === 'number' && Number.isSafeInteger(memo) ? String(memo) : shortText(memo);
  if (told === null && memo !== undefined && memo !== null && memo !== '') return null;
  const memoType = told === null ? null : shortText(raw.withdraw_memo_type);
  return {
    account,
    memo: told,
    memoType: memoType === null || memoType === 'none' ? null : memoType.toLowerCase(),
  };
}

/**
 * Today the status is `refunded`. Older anchors write `error` or `completed` with `refunded: true`; some only fill
 * `refunds`, which then covers `amount_in`. A refund still under way (`pending_…`) does not count yet.
 */
function isRefunded(raw: Record<string, unknown>, status: ReadStatus, amountIn: string | null): boolean {
  if (status.group === 'refunded') return true;
  if (status.group !== 'completed' && status.group !== 'closed') return false;
  if (raw.refunded === true || raw.refunded === 'true') return true;
  const refunds = asObject(raw.refunds);
  const refunded = decimalText(refunds?.amount_refunded);
  if (refunded === null || amountIn === null || new Decimal(amountIn).isZero()) return false;
  return new Decimal(refunded).plus(decimalText(refunds?.amount_fee) ?? 0).gte(amountIn);
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength ? value : null;
}

/** Some anchors number their transactions; the id is compared with what the wallet was told. */
function idText(value: unknown): string | null {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : shortText(value);
  return text !== null && text.length <= maxIdLength ? text : null;
}

/**
 * SEP amounts are strings; SEP-6 anchors send numbers too. Null for signs, for exponents in strings, and for over 20 digits
 * before or after the point, which a number such as 5e-324 has once it is written out.
 */
function decimalText(value: unknown): string | null {
  if (typeof value === 'number') return value < 1e15 ? boundedText(new Decimal(value).toFixed()) : null;
  return typeof value === 'string' ? boundedText(value.trim()) : null;
}

function boundedText(text: string): string | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole.length > maxDigits || fraction.length > maxDigits) return null;
  return plainDecimal(text);
}

const isoInstant =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** ISO 8601; without an offset it is UTC, where `Date.parse` would take the zone of this machine. */
export function instantMs(value: unknown): number | null {
  const match = typeof value === 'string' ? isoInstant.exec(value.trim()) : null;
  if (match === null) return null;
  const [, day = '', time = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}
