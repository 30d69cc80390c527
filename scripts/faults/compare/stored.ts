import type { DeliveryDocument } from '../../../server/deliveries/delivery.rules.js';
import type { OutboxDocument } from '../../../server/deliveries/outbox-store.js';
import type { DisputeDocument } from '../../../server/features/disputes/store.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { type IntentDocument, toIntent } from '../../../server/features/intents/store.js';
import type { BatchDocument, ChunkDocument } from '../../../server/features/publisher/batch-store.js';
import { accountDaysOf } from '../../../server/features/reputation/aggregation.rules.js';
import type { KeyedRollup } from '../../../server/features/reputation/rollup-store.js';
import { createReputationStore } from '../../../server/features/reputation/store.js';
import type { WebhookDocument } from '../../../server/features/webhooks/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { aggregatable, type StoredCounts } from './counts.rules.js';

/** A batch with its entries, in order. */
export type StoredBatch = Pick<
  BatchDocument,
  'header' | 'headerHash' | 'signature' | 'announced' | 'receipt'
> & { entries: readonly object[] };

/** Everything that the comparison reads from the database, with read concern majority. */
export interface Stored {
  intents: readonly Intent[];
  disputes: readonly DisputeDocument[];
  webhooks: readonly WebhookDocument[];
  events: readonly OutboxDocument[];
  deliveries: readonly DeliveryDocument[];
  batches: readonly StoredBatch[];
  counts: StoredCounts;
}

/** Whole collections, on a machine that may be busy. */
const readTimeoutMs = 60_000;

/** Run it when nothing writes any more: it is no snapshot. */
export async function readStored(mongoUri: string): Promise<Stored> {
  const connection = await connectMongo({ uri: mongoUri });
  try {
    const database = connection.getClient().db(connection.name);
    const all = <Document extends object>(name: string) =>
      database
        .collection<Document>(name, { readConcern: { level: 'majority' } })
        .find({}, { sort: { _id: 1 }, timeoutMS: readTimeoutMs })
        .toArray() as Promise<unknown> as Promise<Document[]>;

    const intents = (await all<IntentDocument>('intents')).map((document) => toIntent(document));
    const chunks = await all<ChunkDocument>('batch_chunks');
    const batches = (await all<BatchDocument>('batches')).map((batch) => ({
      ...batch,
      entries: entriesOf(chunks.filter(({ attempt }) => attempt === batch.attempt)),
    }));

    const reputation = createReputationStore(connection);
    const generation = await reputation.currentGeneration();
    const rollups: KeyedRollup[] = [];
    for await (const page of reputation.rollups.pages(generation)) rollups.push(...page);
    const keys = accountDaysOf(intents.map(aggregatable));
    const accountDays = await reputation.rollups.readAccountDays(null, generation, keys);

    return {
      intents,
      disputes: await all<DisputeDocument>('disputes'),
      webhooks: await all<WebhookDocument>('webhooks'),
      events: await all<OutboxDocument>('outbox'),
      deliveries: await all<DeliveryDocument>('deliveries'),
      batches,
      counts: { rollups: new Map(rollups.map(({ key, rollup }) => [key, rollup])), accountDays },
    };
  } finally {
    await connection.close();
  }
}

function entriesOf(chunks: readonly ChunkDocument[]): object[] {
  return [...chunks]
    .sort((a, b) => a.index - b.index)
    .flatMap(({ entries }) => entries.map((entry) => JSON.parse(entry) as object));
}
