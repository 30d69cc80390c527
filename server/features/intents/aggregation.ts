import type { Waker } from '../../mongo/change-streams.js';
import type { ClientSession } from '../../mongo/transactions.js';
import type { Logger } from '../../ports.js';
import type { Admission, Contribution } from '../reputation/what-counts.rules.js';
import type { Intent } from './intent.js';

/** The part of an intent that reputation counts, with what it has counted so far. */
export interface AggregatableIntent
  extends Pick<
      Intent,
      | '_id'
      | 'anchorId'
      | 'corridor'
      | 'account'
      | 'sellAmount'
      | 'outcome'
      | 'scored'
      | 'unscoredReason'
      | 'disputeEffect'
    >,
    CountedIntent {
  /** Set by every write that may change the contribution; cleared by the transaction that counts it. */
  pendingAggregation: boolean;
}

/** What the roll-ups hold of an intent. Only reputation writes it. */
export interface CountedIntent {
  _id: string;
  /** Null: the roll-ups hold nothing of it. */
  counted: Contribution | null;
  /**
   * Whether the intent is among the first outcomes of its account-day, which alone may count. Decided once, when it is
   * first aggregated, and kept, so that a rebuild comes to the same result. Null until then.
   */
  admission: Admission | null;
}

/** What reputation may do with intents. compose.ts hands it over: reputation neither knows the collection nor its fields. */
export interface IntentAggregation {
  /** Hashes of up to `limit` intents whose last change is not counted yet, in no particular order. */
  findPendingAggregation(limit: number): Promise<string[]>;
  /** How many wait to be counted, 100,000 at most. */
  countPendingAggregation(): Promise<number>;
  /** Up to `limit` intents of these accounts whose last change is not counted yet. */
  listPendingOfAccounts(accounts: readonly string[], limit: number): Promise<AggregatableIntent[]>;
  /** Those of these intents that are still pending, as the transaction sees them. */
  readAggregatable(session: ClientSession, intentHashes: readonly string[]): Promise<AggregatableIntent[]>;
  /** Stores what was counted of each intent and clears its mark. */
  saveCounted(session: ClientSession, counted: readonly CountedIntent[]): Promise<void>;
  /** The next page of every intent that has an outcome or is counted, ordered by hash; `after` is '' for the first page. */
  listForRebuild(
    session: ClientSession,
    page: { after: string; limit: number },
  ): Promise<AggregatableIntent[]>;
  /** Marks intents to be counted again. */
  markPendingAggregation(session: ClientSession, intentHashes: readonly string[]): Promise<void>;
  /**
   * Calls `wake` when an intent becomes pending, and once whenever its change stream opens. Nothing runs until it is
   * started.
   */
  watchPendingAggregation(deps: { wake: () => void; logger: Logger }): Waker;
  /** Whether the database has the collection at all; a rebuild refuses one that does not. */
  collectionExists(): Promise<boolean>;
}
