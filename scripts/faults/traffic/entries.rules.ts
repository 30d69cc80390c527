import type {
  CreateWebhookBody,
  DisputeAnswer,
  FileDisputeBody,
  IntentAnswer,
  PublishedBatch,
  ResolveDisputeBody,
  TickAnswer,
  WebhookAnswer,
} from '../../../contract/client/types/index.js';
import type { AttachTransactionBody, CreateIntentBody } from '../../../contract/client/types/intents.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import type { LedgerEntry } from '../ledger-entries.js';

/** One request, and the answer to it where there is one. */
export interface Exchange {
  operationId: string;
  /** The path parameters. */
  params: Readonly<Record<string, string>>;
  body: unknown;
}

/** The ledger entries written before a request is sent, so that the database can contain nothing that it lacks. */
export function entriesBefore({ operationId, body }: Exchange): LedgerEntry[] {
  switch (operationId) {
    case 'createIntent': {
      const terms = body as CreateIntentBody;
      return [{ kind: 'intent_sent', intentHash: intentHash(terms), ...termsOf(terms) }];
    }
    case 'fileDispute': {
      const { intentHash: disputed, publicKey } = body as FileDisputeBody;
      return [{ kind: 'dispute_sent', intentHash: disputed, publicKey }];
    }
    case 'resolveDispute': {
      const { id, action } = body as ResolveDisputeBody;
      return [
        { kind: 'decision_sent', disputeId: id, status: action === 'accept' ? 'accepted' : 'rejected' },
      ];
    }
    case 'createWebhook': {
      const { url, events } = body as CreateWebhookBody;
      return [{ kind: 'webhook_sent', url, events }];
    }
    default:
      return [];
  }
}

/** What the ledger holds of a success before it counts. */
export function entriesAfter(
  { operationId, params, body }: Exchange,
  status: number,
  answer: unknown,
): LedgerEntry[] {
  switch (operationId) {
    case 'createIntent': {
      const intent = answer as IntentAnswer;
      const { intentHash: acknowledged } = intent;
      return [
        { kind: 'intent_acknowledged', intentHash: acknowledged, isNew: status === 201, ...termsOf(intent) },
        ...outcomeOf(intent),
      ];
    }
    case 'attachTransaction': {
      const { anchorTransactionId: transactionId, paymentHash } = body as AttachTransactionBody;
      const attached = { intentHash: params.intentHash ?? '', transactionId, paymentHash };
      return [{ kind: 'transaction_acknowledged', ...attached }, ...outcomeOf(answer as IntentAnswer)];
    }
    case 'getIntent':
      return outcomeOf(answer as IntentAnswer);
    case 'fileDispute': {
      const { id: disputeId, intentHash: disputed, filedBy } = answer as DisputeAnswer;
      return [{ kind: 'dispute_acknowledged', disputeId, intentHash: disputed, filedBy }];
    }
    case 'resolveDispute': {
      const { id: disputeId, status: verdict } = answer as DisputeAnswer;
      return [{ kind: 'decision_acknowledged', disputeId, status: verdict }];
    }
    case 'createWebhook': {
      const { id: webhookId, url, events } = answer as WebhookAnswer;
      return [{ kind: 'webhook_acknowledged', webhookId, url, events }];
    }
    case 'tickPublisher': {
      const { batch } = answer as TickAnswer;
      return batch === null ? [] : [batchTold(batch)];
    }
    case 'listBatches':
      return (answer as { items: PublishedBatch[] }).items.map(batchTold);
    case 'getBatch':
      return [batchTold(answer as PublishedBatch)];
    case 'proveBatchEntry':
      return [batchTold((answer as { batch: PublishedBatch }).batch)];
    default:
      return [];
  }
}

function termsOf({ anchorId, corridor, account, sellAmount }: CreateIntentBody | IntentAnswer) {
  return { anchorId, corridor, account, sellAmount };
}

function outcomeOf({ intentHash: ended, status, outcome }: IntentAnswer): LedgerEntry[] {
  if (outcome === null) return [];
  const { reason, recordedAt } = outcome;
  return [{ kind: 'outcome_told', intentHash: ended, status, reason, recordedAt }];
}

function batchTold({ header, headerHash, receipt }: PublishedBatch): LedgerEntry {
  return { kind: 'batch_told', sequence: header.sequence, headerHash, submitted: receipt !== null };
}
