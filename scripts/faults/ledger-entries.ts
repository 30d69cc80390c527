import type { DisputeAnswer, DisputeStatus } from '../../contract/client/types/disputes.js';
import type { IntentStatus, IntentTransition } from '../../contract/client/types/intents.js';
import type { EventName } from '../../contract/client/types/webhooks.js';

/** The terms by which an intent is compared. */
export interface IntentTerms {
  anchorId: string;
  corridor: string;
  account: string;
  sellAmount: string;
}

/** One line of the ledger. */
export type LedgerEntry =
  /** A wallet is about to register it. */
  | ({ kind: 'intent_sent'; intentHash: string } & IntentTerms)
  /** 200 or 201; `isNew`: 201. */
  | ({ kind: 'intent_acknowledged'; intentHash: string; isNew: boolean } & IntentTerms)
  /** The service took the id of the withdrawal or the hash of the payment. */
  | {
      kind: 'transaction_acknowledged';
      intentHash: string;
      transactionId?: string | undefined;
      paymentHash?: string | undefined;
    }
  /** An answer contained the outcome of the intent. */
  | {
      kind: 'outcome_told';
      intentHash: string;
      status: IntentStatus;
      reason: string;
      recordedAt: string;
    }
  /** The stream of an intent was asked for, from its first transition on. */
  | { kind: 'stream_followed'; intentHash: string }
  /** The stream sent a transition. */
  | ({ kind: 'transition_told'; intentHash: string } & Pick<
      IntentTransition,
      'number' | 'at' | 'status' | 'transactionStatus' | 'last'
    > & { transition: IntentTransition['kind'] })
  | { kind: 'dispute_sent'; intentHash: string; publicKey: string }
  | {
      kind: 'dispute_acknowledged';
      disputeId: string;
      intentHash: string;
      filedBy: DisputeAnswer['filedBy'];
    }
  | { kind: 'decision_sent'; disputeId: string; status: DisputeStatus }
  | { kind: 'decision_acknowledged'; disputeId: string; status: DisputeStatus }
  /** Each registration has its own address, which identifies it. */
  | { kind: 'webhook_sent'; url: string; events: readonly EventName[] }
  | { kind: 'webhook_acknowledged'; webhookId: string; url: string; events: readonly EventName[] }
  /** An answer contained a batch; `submitted`: with its receipt. */
  | { kind: 'batch_told'; sequence: number; headerHash: string; submitted: boolean }
  /** A receiver got a delivery, before it answered; `bodyHash`: SHA-256 of the body, hex. */
  | {
      kind: 'delivery_received';
      url: string;
      eventId: string;
      bodyHash: string;
      /** Null where it verifies by the secret that was registered; else what is wrong. */
      fault: string | null;
      /** The status of the receiver's answer; null if it breaks the connection. */
      answered: number | null;
    };

export type EntryOf<K extends LedgerEntry['kind']> = Extract<LedgerEntry, { kind: K }>;

export function entriesOf<K extends LedgerEntry['kind']>(
  entries: readonly LedgerEntry[],
  kind: K,
): EntryOf<K>[] {
  return entries.filter((entry): entry is EntryOf<K> => entry.kind === kind);
}
