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

/** The contribution of an intent to the roll-ups. Only reputation writes these fields. */
export interface CountedIntent {
  _id: string;
  /** What the roll-ups contain of the intent now; null where they contain nothing. */
  counted: Contribution | null;
  /**
   * Whether the intent is among the first outcomes of its account-day; only those may count. This is decided once, at the
   * first aggregation, and stored, so that a rebuild comes to the same result. Null until then.
   */
  admission: Admission | null;
}

/** Operations on intents for reputation. compose.ts injects them: reputation knows neither the collection nor its fields. */
export interface IntentAggregation {
  /** Hashes of up to `limit` intents whose last change is not counted yet, in no particular order. */
  findPendingAggregation(limit: number): Promise<string[]>;
  /** Number of intents that wait to be counted, capped at 100,000. */
  countPendingAggregation(): Promise<number>;
  /** Up to `limit` intents of these accounts whose last change is not counted yet. */
  listPendingOfAccounts(accounts: readonly string[], limit: number): Promise<AggregatableIntent[]>;
  /** The intents with these hashes that are still pending, as the transaction sees them. */
  readAggregatable(session: ClientSession, intentHashes: readonly string[]): Promise<AggregatableIntent[]>;
  /** Stores the counted contribution of each intent and clears its pending mark. */
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
}
