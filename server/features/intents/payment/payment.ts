import type { PaymentProblem } from '../../../../contract/schemas/payments.js';
import type { LedgerMemo, LedgerPayment, LedgerSource } from '../../../ledger/ledger-transaction.rules.js';

/** The payment instructions of a withdrawal, as a record of the anchor named them. */
export interface Instructions {
  /** `G…` or `M…`. */
  account: string;
  memo: string | null;
  memoType: string | null;
  /** When they were first stored; only payments that closed later are compared with them. */
  storedAtMs: number;
}

export type NamedBy = 'wallet' | 'anchor';

/** A ledger transaction that the wallet or the anchor names as the payment. */
export interface NamedPayment {
  hash: string;
  by: NamedBy;
  /** When this party first named any payment, so that it gains no time by naming further ones. */
  namedAtMs: number;
  /** Number of look-ups of all payments that this party named. */
  looks: number;
  /** When the next look-up is due, by the pace of those so far. */
  nextMs: number;
  /** The time of the last look-up and the problem that it found; null where there was no look-up, or no problem. */
  lookedUpAtMs: number | null;
  problem: PaymentProblem | null;
  /** How often the ledger said that it has no such transaction; for the wallet, of all payments that it named. */
  misses: number;
  /** Whether the ledger showed that it, or one that the same party named before, cannot be a payment to this anchor. */
  contradicts: boolean;
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
  /** At most one per party. */
  named: readonly NamedPayment[];
  found: FoundPayment | null;
  /** When the expired intent was reopened because its payment was found; absent where it was not reopened. */
  takenUpAtMs?: number;
  /** Set where the transaction came to this intent because the ledger shows that its account paid: it passes on no more. */
  passedByLedger?: true;
}

/** The result of a ledger look-up of a named payment. */
export type Finding =
  | { kind: 'found'; payment: FoundPayment }
  | { kind: 'problem'; problem: PaymentProblem; contradicts: boolean };
