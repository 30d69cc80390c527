import type {
  IntentAnswer,
  IntentStatus,
  OutcomeEvidence,
  OutcomeReason,
  StepKind,
  TransactionProblem,
  UnscoredReason,
} from '../../../contract/schemas/intents.js';
import type { PaymentState } from './payment/payment-state.rules.js';
import type { TransactionRecord } from './record/sep-record.rules.js';
import type { Observations } from './transition/settle-time.rules.js';

/**
 * What is asked of the anchor about the transaction of an open intent:
 * - `never`: nothing, since there is no transaction, or the anchor answered too often that it does not know it
 * - `waiting`: nothing yet, until one of its client's places is free
 * - `unconfirmed`: the anchor has not shown a record of it so far
 * - `confirmed`: the anchor has shown a record of it
 */
export type PollState = 'never' | 'waiting' | 'unconfirmed' | 'confirmed';

/** An intent as the service works with it. Neither the nonce nor any unnamed part of the anchor's record is kept. */
export interface Intent {
  /** intentHash */
  _id: string;
  anchorId: string;
  corridor: string;
  /** Canonical G… account. */
  account: string;
  sellAmount: string;
  minReceive: string | null;
  deliveryMethod: string | null;
  createdAt: Date;
  /** The hash of the client that registered it (http/client-key.ts), until funds were observed; null where none is kept. */
  client: string | null;
  /** The deadline of the payment: the wallet's `expiresAt`, or our default. */
  deadline: Date;
  quote: AcceptedQuote | null;
  /** The terms at registration: a later change of the fleet does not apply to this intent. */
  corridorTerms: {
    sellAsset: string;
    buyAsset: string;
    overdueAfterSeconds: number;
    /** Whether the payout may be cash that waits to be collected. */
    mayBeCollected: boolean;
  };
  status: IntentStatus;
  outcome: IntentOutcome | null;
  /** Why the outcome must not count; null where it may. */
  unscoredReason: UnscoredReason | null;
  disputeEffect: DisputeEffect | null;
  /** The anchor's transaction id. Absent, not null, until one is attached: the unique index covers only strings. */
  transactionId?: string | undefined;
  attachedAt: Date | null;
  observations: Observations;
  /** The latest known problem with the transaction id. */
  problem: TransactionProblem | null;
  /** What the anchor's records say of it; null before the first. */
  told: Told | null;
  /** A transaction that the wallet presented and another intent holds; absent, not null, where there is none. */
  claimedId?: string | undefined;
  /** When the wallet first presented the claimed transaction. */
  claimedAt: Date | null;
  /** Whether the wallet presented its transaction with the account's signature over the intent's hash. */
  signed: boolean;
  /** The amount paid in, taken from the first observation of funds that names it. */
  amountIn: string | null;
  payment: PaymentState;
  /** Whether the ledger contradicts the payment that the anchor's records name (payment-state.rules.ts). */
  contradicted: boolean;
  /** When to look a named payment up on the ledger next; absent, not null, where no look-up is due. */
  lookUpDue?: Date | undefined;
  recoveredAt: Date | null;
  callbacks: TakenCallbacks | null;
  /** What is asked of the anchor about its transaction. */
  poll: PollState;
  /** How often the anchor answered that it does not know the transaction, while it had never shown a record of it. */
  unknownPolls: number;
  /** Whether the intent is still followed, and when it is checked next. */
  open: boolean;
  due: Date;
  /** When MongoDB removes the intent, which ended unpaid; absent, not null, where it stays. */
  removeAt?: Date | undefined;
  /** Every step so far, which each write adds to (steps.rules.ts). */
  steps: readonly Step[];
  /** Raised by every versioned write, which is made only if the version is still the one that was read. */
  version: number;
}

/**
 * What the anchor's records say of a transaction: up to the arrival of the funds, the latest that was said of who sends what
 * and when it began; of the amounts, what the last record says.
 */
export type Told = Pick<
  TransactionRecord,
  | 'kind'
  | 'from'
  | 'amountInAsset'
  | 'amountOutAsset'
  | 'startedAtMs'
  | 'refunded'
  | 'amountIn'
  | 'amountOut'
  | 'unreadable'
>;

/** A transition of an intent, as it is stored. */
export interface Step {
  kind: StepKind;
  /** When it happened, as exactly as is known. */
  at: Date;
  /** The status that the anchor reported; only for `transaction_status`. */
  word?: string;
}

/** How an intent ended, as the transition wrote it. */
export interface IntentOutcome {
  kind: Exclude<IntentStatus, 'pending'>;
  reason: OutcomeReason;
  /** When the outcome was recorded here; it counts on this UTC day. A recovery keeps the first day. */
  recordedAt: Date;
  /** Whole seconds from payment to payout (settle-time.rules.ts); null where it did not settle. */
  settleSeconds: number | null;
  /** Whether payment and payout were observed one after the other. */
  timesKnown: boolean;
  /** Parts per 10⁹ by which the payout fell short of the anchor's own quote; null without such a quote. */
  shortfallPpb: number | null;
  /**
   * What the anchor says it paid out, in the corridor's fiat; null where it did not settle, or where the anchor names
   * another asset.
   */
  amountOut: string | null;
  evidence: OutcomeEvidence;
}

/** How the outcome counts after a dispute of it was accepted. */
export type DisputeEffect = 'counts_not_filled' | 'counts_filled' | 'not_counted';

/** The quote an intent was accepted against. */
export type AcceptedQuote = Omit<NonNullable<IntentAnswer['quote']>, 'quotedAt'> & { quotedAt: Date };

/**
 * The callbacks applied so far: one that was signed before `signedAt` (Unix seconds) is old, and one of that second with
 * one of these digests is a repeat.
 */
export interface TakenCallbacks {
  signedAt: number;
  digests: string[];
}
