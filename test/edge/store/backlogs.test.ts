import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queueKey } from '../../../server/deliveries/delivery.rules.js';
import { createDeliveryStore } from '../../../server/deliveries/delivery-store.js';
import { createOutboxStore } from '../../../server/deliveries/outbox-store.js';
import { createDisputeStore } from '../../../server/features/disputes/store.js';
import { createAggregationStore } from '../../../server/features/intents/aggregation-store.js';
import { createWebhookStore } from '../../../server/features/webhooks/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { countUpTo, mostCounted, prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();
const connection = await connectMongo({ uri });
const outbox = createOutboxStore(connection);
const deliveries = createDeliveryStore(connection);
const { enabledAmong } = createWebhookStore(connection);
const disputes = createDisputeStore(connection);
const intents = createAggregationStore(connection);
const hourMs = 3_600_000;

/** Inserts rows as given: only the members by which they are counted matter here. */
async function put(collection: string, rows: Record<string, unknown>[]): Promise<void> {
  await connection.collection(collection).insertMany(rows as never[], { timeoutMS: 120_000 });
}

/** Deliveries of one lane, due in `dueInMs`; settled ones where `open` is false. */
function deliveriesOf(lane: string, count: number, dueInMs: number, open = true) {
  return Array.from({ length: count }, (_, n) => ({
    _id: `${lane} ${dueInMs} ${open} ${n}`,
    webhookId: lane.replace('!', ''),
    eventId: `${lane} ${dueInMs} ${open} ${n}`,
    open,
    lane,
    due: new Date(Date.now() + dueInMs),
  }));
}

beforeAll(async () => {
  await prepareCollections(connection);
  await put('webhooks', [
    { _id: 'on', enabled: true },
    { _id: 'off', enabled: false },
  ]);
  await put('deliveries', [
    ...deliveriesOf('on', 5, -hourMs),
    ...deliveriesOf('on', 7, hourMs),
    ...deliveriesOf('on', 11, -hourMs, false),
    ...deliveriesOf('off', 13, -hourMs),
    ...deliveriesOf(queueKey('off', 'admin'), 2, -hourMs),
    ...deliveriesOf('deleted', 3, -hourMs),
  ]);
  await put('outbox', [
    ...Array.from({ length: 4 }, (_, n) => ({ _id: `open ${n}`, open: true, createdAt: new Date() })),
    ...Array.from({ length: 200 }, (_, n) => ({ _id: `done ${n}`, open: false, createdAt: new Date() })),
  ]);
  await put('disputes', [
    { _id: 'a', intentHash: 'a', filedBy: 'wallet', status: 'open' },
    { _id: 'b', intentHash: 'b', filedBy: 'wallet', status: 'open' },
    { _id: 'c', intentHash: 'c', filedBy: 'wallet', status: 'accepted' },
  ]);
  await put('intents', [
    { _id: 'a', unfolded: true },
    { _id: 'b', unfolded: false },
  ]);
});
afterAll(() => connection.close());

describe('the backlogs', () => {
  it('are events not fanned out, deliveries without an end, open disputes and intents not counted', async () => {
    expect(await outbox.countOpen()).toBe(4);
    expect(await deliveries.countOpen()).toBe(30);
    expect(await disputes.countOpen()).toBe(2);
    expect(await intents.countPendingAggregation()).toBe(1);
  });

  it('of due deliveries has what may be sent now: nothing held, nothing of a webhook that is gone', async () => {
    expect(await deliveries.countDue(enabledAmong)).toBe(7);
  });

  it('are read by indexes, and no collection is scanned for them', async () => {
    const { db } = connection;
    await db?.command({ profile: 2 });
    try {
      await outbox.countOpen();
      await deliveries.countOpen();
      await deliveries.countDue(enabledAmong);
      await disputes.countOpen();
      await intents.countPendingAggregation();
    } finally {
      await db?.command({ profile: 0 });
    }
    const reads = await connection
      .collection('system.profile')
      .find({ op: { $in: ['query', 'command'] }, planSummary: { $exists: true } })
      .toArray();
    expect(reads.map(({ planSummary }) => String(planSummary))).toHaveLength(7);
    for (const { planSummary, command } of reads) {
      expectFor(JSON.stringify(command), planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN|COUNT_SCAN|IDHACK)/);
    }
  });

  it('are counted up to 100,000, and not at all where the index is missing', async () => {
    await put(
      'disputes',
      Array.from({ length: mostCounted + 5 }, (_, n) => ({
        _id: `many ${n}`,
        intentHash: `many ${n}`,
        status: 'open',
      })),
    );
    expect(await disputes.countOpen()).toBe(100_000);
    await expect(countUpTo(connection.model('Dispute'), { status: 'open' }, 'no_such_index')).rejects.toThrow(
      /hint/,
    );
  });
});
