import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { Registry } from 'prom-client';
import { createDisputeStore } from '../../../server/features/disputes/store.js';
import { createMarkStore } from '../../../server/features/reputation/day-store.js';
import { registerBacklogs } from '../../../server/http/backlog-gauges.js';
import { countUpTo, prepareCollections } from '../../../server/mongo/models.js';
import { createDeliveryStore } from '../../../server/webhooks/delivery-store.js';
import { createOutboxStore } from '../../../server/webhooks/outbox-store.js';
import { createWebhookStore } from '../../../server/webhooks/webhook-store.js';
import { testConnection } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { silentLogger } from '../../support/silent-logger.js';

const connection = await testConnection();
const outbox = createOutboxStore(connection);
const deliveries = createDeliveryStore(connection);
const { enabledAmong } = createWebhookStore(connection);
const disputes = createDisputeStore(connection);
const marks = createMarkStore(connection);
const hourMs = 3_600_000;

/** Inserts rows as given: only the members by which they are counted matter here. */
async function put(collection: string, rows: Record<string, unknown>[]): Promise<void> {
  await connection.collection(collection).insertMany(rows as never[], { timeoutMS: 120_000 });
}

/** Deliveries of one webhook, due in `dueInMs`. */
function deliveriesOf(webhookId: string, count: number, dueInMs: number, more = {}) {
  return Array.from({ length: count }, (_, n) => {
    const id = `${webhookId} ${dueInMs} ${JSON.stringify(more)} ${n}`;
    const due = new Date(Date.now() + dueInMs);
    return { _id: id, eventId: id, webhookId, state: 'pending', byAdmin: false, due, ...more };
  });
}

await prepareCollections(connection);
const webhooks = ['on', 'off'].map((id) => ({ _id: id, enabled: id === 'on' }));
await put('webhooks', webhooks);
await put('deliveries', [
  ...deliveriesOf('on', 5, -hourMs),
  ...deliveriesOf('on', 7, hourMs),
  ...deliveriesOf('on', 11, -hourMs, { state: 'delivered' }),
  ...deliveriesOf('off', 13, -hourMs),
  ...deliveriesOf('off', 2, -hourMs, { byAdmin: true }),
  ...deliveriesOf('deleted', 3, -hourMs),
]);
const eventOf = (_: unknown, n: number) => ({ _id: `${n}`, open: n < 4, createdAt: new Date() });
await put('outbox', Array.from({ length: 204 }, eventOf));
const disputeOf = (status: string, n: number) => ({ _id: `${n}`, intentHash: `${n}`, status });
await put('disputes', ['open', 'open', 'accepted'].map(disputeOf));
await put('reputation_marks', [{ anchorId: 'harbour', corridor: 'usdc-ngn', day: '2026-11-21' }]);

describe('the backlogs', () => {
  const counts = [
    () => outbox.countOpen(),
    () => deliveries.countOpen(),
    // What may be sent now: nothing held, nothing of a webhook that is gone.
    () => deliveries.countDue(new Date(), enabledAmong),
    () => disputes.countOpen(),
    () => marks.count(),
  ];

  it('are events not fanned out, deliveries without an end, due ones, open disputes and intents not counted', async () => {
    expect(await Promise.all(counts.map((count) => count()))).toEqual([4, 30, 7, 2, 1]);
  });

  it('are read by indexes, and no collection is scanned for them, nor counted where the index is missing', async () => {
    const { db } = connection;
    await db?.command({ profile: 2 });
    try {
      for (const count of counts) await count();
    } finally {
      await db?.command({ profile: 0 });
    }
    const read = { op: { $in: ['query', 'command'] }, planSummary: { $exists: true } };
    const reads = await connection.collection('system.profile').find(read).toArray();
    expect(reads).toHaveLength(8);
    for (const { planSummary, command } of reads)
      expectFor(JSON.stringify(command), planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN|COUNT_SCAN|IDHACK)/);
    const counted = countUpTo(connection.model('Dispute'), { status: 'open' }, 'no_such_index');
    await expect(counted).rejects.toThrow(/hint/);
  });
});

describe('the gauge of a backlog', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  function gauge(openDisputes: () => Promise<number>) {
    const said: unknown[] = [];
    let nowMs = 1_000;
    const registry = new Registry();
    const none = async () => 0;
    registerBacklogs({
      registry,
      backlogs: {
        ...{ openWebhookEvents: none, openWebhookDeliveries: none, dueWebhookDeliveries: none },
        ...{ pendingBatches: none, heldLog: none, openDisputes, reputationMarks: none },
      },
      logger: { ...silentLogger, error: (fields: object) => said.push(fields) },
      stopwatch: () => nowMs,
    });
    return {
      said,
      pass: (ms: number) => {
        nowMs += ms;
      },
      /** The sample's value as text, or undefined where there is none. */
      scrape: async () => /^fairlead_open_disputes (\S+)$/m.exec(await registry.metrics())?.[1],
    };
  }

  it('is read once for all who ask in 5 s, absent while the database is away, and a person called for any other failure', async () => {
    const away = new mongo.MongoNetworkError('no primary');
    const reads = jest.fn<() => Promise<number>>();
    reads.mockResolvedValueOnce(11).mockRejectedValueOnce(away).mockResolvedValueOnce(0);
    reads.mockRejectedValueOnce(new Error('hint provided is no index'));
    const { scrape, pass, said } = gauge(reads);
    expect(await Promise.all([scrape(), scrape()])).toEqual(['11', '11']);
    pass(4_999);
    expect(await scrape()).toBe('11');
    expect(reads).toHaveBeenCalledTimes(1);
    pass(1);
    expect([await scrape(), await scrape()]).toEqual([undefined, '0']);
    expect(said).toEqual([]);
    pass(5_000);
    expect(await scrape()).toBeUndefined();
    expect(said).toMatchObject([{ metric: 'fairlead_open_disputes' }]);
  });

  it('is absent after 500 ms without an answer, and no second read is begun beside the one that hangs', async () => {
    jest.useFakeTimers();
    let answer: (value: number) => void = () => undefined;
    const pending = new Promise<number>((resolve) => {
      answer = resolve;
    });
    const reads = jest.fn(() => pending);
    const { scrape } = gauge(reads);
    for (let n = 0; n < 3; n += 1) {
      const scraped = scrape();
      // An answer that has arrived is read first, in the turn after the limit.
      await jest.advanceTimersByTimeAsync(501);
      expect(await scraped).toBeUndefined();
    }
    expect(reads).toHaveBeenCalledTimes(1);
    answer(4);
    expect(await scrape()).toBe('4');
  });
});
