import type { PaymentProblem } from '../../../contract/schemas/payments.js';
import type { LedgerMemo, LedgerPayment, LedgerSource } from '../../ledger/ledger.js';
import type { TransactionRecord } from './sep-record.rules.js';

/** Where a withdrawal is to be paid to, as a record of the anchor named it. */
export interface Instructions {
  /** `G…` or `M…`. */
  account: string;
  memo: string | null;
  memoType: string | null;
  /** When it was stored first: only payments that closed later are held against it. */
  storedAtMs: number;
}

export type NamedBy = 'wallet' | 'anchor';

/** A ledger transaction that somebody says was the payment. */
export interface NamedPayment {
  hash: string;
  by: NamedBy;
  /** When this party named one first, this one or another: nobody gains time by naming ever new ones. */
  namedAtMs: number;
  /** How often those that this party named were looked up. */
  looks: number;
  /** When the pace of the one before allows the first look at this one; null or, in old states, absent: at once. */
  notBeforeMs?: number | null;
  /** When it was last looked up, and what was wrong then; null where nothing was, or where it was never looked up. */
  lookedUpAtMs: number | null;
  problem: PaymentProblem | null;
  /** Since when the ledger says without interruption that it does not exist; of an anchor's, nor those before it. */
  missingSinceMs: number | null;
  /** Whether the ledger shows that it cannot be a payment to this anchor. */
  contradicts: boolean;
  /** Whether that was so of another one that the same party named before. */
  contradictedBefore?: boolean;
}

/** A payment found on the ledger and verified, with what anybody needs to look it up again. */
export interface FoundPayment extends LedgerPayment {
  hash: string;
  by: NamedBy;
  ledger: number;
  closedAtMs: number;
  memo: LedgerMemo | null;
  lookedUpAtMs: number;
  source: LedgerSource;
}

/** What is known of the payment of an intent. */
export interface PaymentState {
  instructions: readonly Instructions[];
  /** One of each party at most. */
  named: readonly NamedPayment[];
  found: FoundPayment | null;
  /** When the payment was found after the intent had expired, and it was opened again; absent where it had not. */
  takenUpAtMs?: number;
  /** What the last record said, for when the ledger has answered. */
  told: Pick<TransactionRecord, 'refunded' | 'amountIn' | 'amountOut' | 'amountOutAsset'> | null;
}

/** What a look at the ledger says of a named payment. */
export type Finding =
  | { kind: 'found'; payment: FoundPayment }
  | { kind: 'problem'; problem: PaymentProblem; contradicts: boolean };
