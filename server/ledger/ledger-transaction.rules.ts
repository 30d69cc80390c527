/** The memo of a transaction. `hash` and `return` are 64 hex digits, `id` is a decimal number of 64 bits. */
export interface LedgerMemo {
  type: 'text' | 'id' | 'hash' | 'return';
  value: string;
}

export type PaymentKind = 'payment' | 'path_payment_strict_receive' | 'path_payment_strict_send';

/** An operation that delivered an asset to an account. */
export interface LedgerPayment {
  /**
   * The operation's number on the whole ledger, as Horizon gives it (SEP-35). It is the same whichever source was asked
   * and whichever of the two hashes of a fee bump was asked for.
   */
  operationId: string;
  /** Its place in the transaction, from 1. */
  position: number;
  kind: PaymentKind;
  /** `G…`; the muxed id is the 64-bit id of a muxed account, else null. */
  from: string;
  fromMuxedId: string | null;
  to: string;
  toMuxedId: string | null;
  /** SEP-38 form: `stellar:CODE:ISSUER` or `stellar:native`. */
  asset: string;
  /** What was delivered, without trailing zeros. */
  amount: string;
}

/** A transaction in a closed ledger. For a fee bump, source, memo and operations are those of the inner transaction. */
export interface LedgerTransaction {
  /** The hash that was asked for. */
  hash: string;
  successful: boolean;
  /** The sequence number of its ledger, and when that closed. */
  ledger: number;
  closedAtMs: number;
  /** `G…` */
  source: string;
  memo: LedgerMemo | null;
  /** Its payments in their order; none where it failed, since then nothing was delivered. */
  payments: readonly LedgerPayment[];
}

/** The source that answered. */
export type LedgerSource = 'rpc' | 'horizon';

/** Why nothing is known of a transaction. */
export type UnknownWhy =
  /** No source answered, in time or at all. */
  | 'unreachable'
  /** What a source answered cannot be read. */
  | 'unreadable'
  /** No source says that it holds every ledger of the time that was asked about. */
  | 'out_of_range';

export type LedgerAnswer =
  | { kind: 'found'; transaction: LedgerTransaction; source: LedgerSource }
  /** The sources hold every ledger of the time that was asked about, and the transaction is in none. */
  | { kind: 'not_found'; source: LedgerSource }
  | { kind: 'unknown'; why: UnknownWhy; detail: string };

const transactionHash = /^[0-9a-f]{64}$/;

/** The canonical spelling of a transaction hash; null for any text that is none. */
export function readTransactionHash(text: string): string | null {
  const hash = text.toLowerCase();
  return transactionHash.test(hash) ? hash : null;
}

/** The bytes of standard base64, padded or not; null for anything else, which Node would read as far as it can. */
export function fromBase64(text: string): Uint8Array | null {
  const unpadded = text.replace(/={0,2}$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(unpadded) || unpadded.length % 4 === 1) return null;
  return Buffer.from(unpadded, 'base64');
}

/**
 * The number of SEP-35, which Horizon uses as an operation's id: 32 bits of ledger, 20 of the transaction's order in it, 12
 * of the operation's position in the transaction. Order and position count from 1.
 */
export function operationIdOf(place: { ledger: number; order: number; position: number }): string {
  return ((BigInt(place.ledger) << 32n) | (BigInt(place.order) << 12n) | BigInt(place.position)).toString();
}

/** The position of the operation in its transaction; null where the text is no such number. */
export function positionOf(operationId: string): number | null {
  return /^\d{1,19}$/.test(operationId) ? Number(BigInt(operationId) & 0xfffn) : null;
}

/** The ledgers that a node says it holds. */
export interface HeldRange {
  oldestLedger: number;
  oldestAtMs: number;
  latestLedger: number;
  latestAtMs: number;
}

/** A node that is further behind than this may not have the transaction yet. */
export const lagMs = 60_000;
/** Ledgers close every 5 s or so. A range whose ledgers take longer than this on average is implausible. */
const longestLedgerMs = 15_000;

/** Whether a node that reports this range holds every ledger since `sinceMs`, as far as its own answer can show. */
export function covers(range: HeldRange, sinceMs: number, nowMs: number): boolean {
  const spanMs = range.latestAtMs - range.oldestAtMs;
  const ledgers = range.latestLedger - range.oldestLedger;
  const isPlausible = spanMs >= 0 && ledgers >= 0 && spanMs <= (ledgers + 1) * longestLedgerMs;
  return isPlausible && range.oldestAtMs <= sinceMs && range.latestAtMs >= nowMs - lagMs;
}
