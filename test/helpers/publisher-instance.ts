import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { BatchPage, PublishedBatch, TickAnswer } from '../../contract/publisher.js';
import type { ScoreCard } from '../../contract/score-card.js';
import { type BatchHead, verifyBatch } from '../../contract/verify-batch.js';
import { receiptFault } from '../../contract/verify-receipt.js';
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
export const otherSeed = '16'.repeat(32);

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

/** Reads the whole log as a stranger would, page by page, and checks it; throws on the first fault. */
export async function verifyLog(publisher: Publisher): Promise<PublishedBatch[]> {
  const { log } = publisher;
  const { keys } = await publisher.health();
  const verified: PublishedBatch[] = [];
  let previous: BatchHead | null = null;
  let cursor: string | undefined;
  do {
    const page: BatchPage = await log.list({ order: 'asc', limit: 50, cursor });
    for (const batch of page.items) {
      const entries = await allEntries(publisher, batch.header.sequence);
      const verdict = verifyBatch({ ...batch, entries, keys, previous });
      if (!verdict.ok) throw new Error(`batch ${batch.header.sequence}: ${verdict.reason}`);
      const head: BatchHead = { sequence: batch.header.sequence, headerHash: verdict.headerHash };
      if (batch.receipt !== null && receiptFault(batch.receipt, head) !== null) {
        throw new Error(`the receipt of batch ${head.sequence} does not hold`);
      }
      verified.push(batch);
      previous = head;
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return verified;
}

export async function allEntries({ log }: Publisher, sequence: number): Promise<ScoreCard[]> {
  const entries: ScoreCard[] = [];
  let cursor: string | undefined;
  do {
    const page = await log.entries(sequence, { limit: 100, cursor });
    if (page.start !== entries.length) throw new Error(`a page starts at ${page.start}`);
    entries.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return entries;
}

export interface PublisherInstance {
  publisher: Publisher;
  connection: Connection;
  store: PublisherStore;
  leases: Leases;
  /** Throws where another tick runs. */
  tick(): Promise<TickAnswer>;
  /** As soon as the lease is free. */
  tickSoon(): Promise<TickAnswer>;
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
      | 'formula'
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
    async tick() {
      const outcome = await publisher.tick();
      if (!outcome.ran) throw new Error(`another tick runs since ${outcome.startedAt}`);
      return outcome.value;
    },
    async tickSoon() {
      for (;;) {
        const outcome = await publisher.tick();
        if (outcome.ran) return outcome.value;
        await delay(20);
      }
    },
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
