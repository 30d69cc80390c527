import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { ScoreCard } from '../../contract/score-card.js';
import {
  createPublisher,
  type Publisher,
  type PublisherDeps,
} from '../../server/features/publisher/service.js';
import { type PublisherStore, publisherStore } from '../../server/features/publisher/store.js';
import { publisherLease } from '../../server/features/publisher/tick.js';
import { createWriteEvent, outboxModel } from '../../server/features/webhooks/outbox.js';
import { prepareCollections } from '../../server/mongo/collections.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { createLeases, type Leases } from '../../server/mongo/leases.js';
import { createInTransaction } from '../../server/mongo/transactions.js';
import { createOutbound } from '../../server/outbound/outbound.js';
import { silentLogger } from './silent-logger.js';

export const testSeed = '15'.repeat(32);

/** Cards of as many anchors, sorted; `points` makes their scores differ. */
export function cardsOf(size: number, points = 50): ScoreCard[] {
  return Array.from({ length: size }, (_, index) => ({
    anchorId: `anchor-${String(Math.floor(index / 2)).padStart(6, '0')}`,
    corridor: index % 2 === 0 ? 'usdc-kes' : 'usdc-ngn',
    window: 30,
    outcomes: 100 + index,
    filled: 99,
    accountDays: 60,
    fillRate: '0.990000',
    p50SettleSeconds: 90,
    p95SettleSeconds: 300,
    meanShortfall: null,
    quotedOutcomes: 0,
    acceptedDisputes: 0,
    speedTargetSeconds: 600,
    score: `${points}.25`,
    state: 'scored',
    simulated: true,
  }));
}

export interface PublisherInstance {
  publisher: Publisher;
  connection: Connection;
  store: PublisherStore;
  leases: Leases;
  /** What the next tick publishes. */
  setCards(cards: readonly ScoreCard[]): void;
  /** The events written so far, oldest first. */
  events(): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface InstanceOptions
  extends Partial<
    Pick<
      PublisherDeps,
      | 'gatherCards'
      | 'oldKeys'
      | 'oracleUrl'
      | 'secretKey'
      | 'tickIntervalMs'
      | 'leaseTtlMs'
      | 'oracleTimeoutMs'
      | 'retry'
      | 'onStep'
      | 'logger'
    >
  > {
  uri: string;
}

/** One instance of the service as far as the publisher goes: its own client, leases and connector. */
export async function publisherInstance(options: InstanceOptions): Promise<PublisherInstance> {
  const { uri, oracleUrl, ...rest } = options;
  let cards: readonly ScoreCard[] = cardsOf(3);
  const connection = await connectMongo({ uri });
  const store = publisherStore(connection);
  const outbox = outboxModel(connection);
  const newId = () => randomBytes(16).toString('hex');
  const logger = options.logger ?? silentLogger;
  const leases = createLeases({ connection, owner: newId(), logger });
  const outbound = createOutbound({
    allow: [],
    trusted: oracleUrl === undefined ? [] : [new URL(oracleUrl).origin],
  });
  const publisher = createPublisher({
    connection,
    leases,
    inTransaction: createInTransaction(connection),
    writeEvent: createWriteEvent({ connection, clock: Date.now, newId }),
    gatherCards: async function* () {
      yield* cards;
    },
    formula: 'v1',
    secretKey: testSeed,
    oldKeys: [],
    oracleUrl,
    outbound: outbound.request,
    newId,
    random: () => 0.5,
    logger,
    retry: { attempts: 3, baseMs: 1, factor: 2, maxMs: 10, jitter: 0 },
    ...rest,
  });
  await prepareCollections(connection);
  await leases.seed([publisherLease]);
  return {
    publisher,
    connection,
    store,
    leases,
    setCards(next) {
      cards = next;
    },
    events: async () =>
      (await outbox.find().sort({ createdAt: 1 }).lean()).map(({ event, data }) => ({ event, ...data })),
    async close() {
      await outbound.close();
      await connection.close();
    },
  };
}
