import type { IntentStatus, OutcomeReason, UnscoredReason } from '../../../contract/schemas/intents.js';
import type { AggregatableIntent, IntentOutcome } from '../reputation/aggregatable-intent.js';
import type { Sightings } from './settle-time.rules.js';
import type { Dialect } from './status-table.rules.js';

/** The quote an intent was accepted against. */
export interface StoredQuote {
  tier: 'anchor' | 'estimate';
  sellAmount: string;
  receiveAmount: string;
  rate: string;
  adjusted: boolean;
  quotedAt: Date;
}

/** Which callbacks were taken: those signed before `signedAt` (Unix seconds) are old, these of that second are repeats. */
export interface TakenCallbacks {
  signedAt: number;
  digests: string[];
}

/** An intent as stored. The nonce is not part of it, nor is anything of the anchor's record that is not named here. */
export interface IntentDocument extends AggregatableIntent {
  minReceive: string | null;
  deliveryMethod: string | null;
  createdAt: Date;
  /** Until when the payment may be made: `expiresAt` of the wallet, or our default. */
  deadline: Date;
  quote: StoredQuote | null;
  /** What the corridor said when the intent was registered: a change of the fleet does not move the goal. */
  corridorTerms: { sellAsset: string; buyAsset: string; overdueAfterSeconds: number };
  status: IntentStatus;
  outcome: (IntentOutcome & { reason: OutcomeReason }) | null;
  unscoredReason: UnscoredReason | null;
  /** Absent, not null, until one is attached: the unique index covers only texts. */
  transactionId?: string;
  attachedAt: Date | null;
  /** Which of the anchor's servers knows the transaction. */
  dialect: Dialect | null;
  sightings: Sightings;
  /** What was paid in, as the first sight of funds that named it said. */
  amountIn: string | null;
  recoveredAt: Date | null;
  callbacks: TakenCallbacks | null;
  /** Whether there is still something to look for, and when it is this intent's turn. */
  open: boolean;
  due: Date;
  /** Grows with every write of this feature: what a compare-and-set is held against. */
  version: number;
}
