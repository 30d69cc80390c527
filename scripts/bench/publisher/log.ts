import { randomBytes } from 'node:crypto';
import { exampleCard } from '../../../contract/examples/score-card.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { createChanges } from '../../../server/cache/changes.js';
import { createEmit } from '../../../server/deliveries/deliveries.js';
import { createOutboxStore } from '../../../server/deliveries/outbox-store.js';
import { createPublisherFeature } from '../../../server/features/publisher/feature.js';
import { createPublisherStore } from '../../../server/features/publisher/store.js';
import { publisherLease } from '../../../server/features/publisher/tick.js';
import { createWebhookStore } from '../../../server/features/webhooks/store.js';
import { silentLogger } from '../../../server/logger.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { originsOfOperator } from '../../../server/outbound/allow.js';
import { createOutbound } from '../../../server/outbound/outbound.js';
import { withDatabase } from '../../mongod/uri.js';

const newId = () => randomBytes(16).toString('hex');

/** A log in its own database, whose batches have this many entries. */
export async function openLog(uri: string, database: string, size: number, oracleUrl?: string) {
  const connection = await connectMongo({ uri: withDatabase(uri, database) });
  const outbox = createOutboxStore(connection);
  const leases = createLeases({ connection, owner: 'bench', logger: silentLogger });
  const outbound = createOutbound({ allow: originsOfOperator([oracleUrl]) });
  let round = 0;
  const publisher = createPublisherFeature({
    announce: createChanges().announce,
    store: createPublisherStore(connection),
    publicCache: false,
    leases,
    inTransaction: createInTransaction(connection),
    writeEvent: createEmit({ outbox, endpoints: createWebhookStore(connection), clock: Date.now, newId }),
    isKnownAnchor: async () => true,
    isServedCorridor: () => true,
    sources: [{ formula: 'v1', gatherCards: () => cards(size, round) }],
    secretKey: '11'.repeat(32),
    oldKeys: [],
    oracleUrl,
    outbound: outbound.request,
    newId,
    random: Math.random,
    logger: silentLogger,
  });
  await prepareCollections(connection);
  await leases.seed([publisherLease]);
  return {
    publisher,
    /** Changes every score since the previous round. */
    change() {
      round += 1;
    },
    async close() {
      await outbound.close();
      await connection.close();
    },
  };
}

export type BenchLog = Awaited<ReturnType<typeof openLog>>;

export const entryAt = (index: number) => ({
  anchorId: `anchor-${String(index).padStart(6, '0')}`,
  corridor: 'usdc-ngn',
});

/** Yields cards like a cursor: some at once, then after a turn of the event loop. */
async function* cards(size: number, round: number): AsyncGenerator<ScoreCard> {
  for (let index = 0; index < size; index += 1) {
    if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield {
      ...exampleCard,
      ...entryAt(index),
      outcomes: 100 + round,
    };
  }
}
