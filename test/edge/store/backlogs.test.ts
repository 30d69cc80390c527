import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisputeStore } from '../../../server/features/disputes/store.js';
import { createMarkStore } from '../../../server/features/reputation/day-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { countUpTo, prepareCollections } from '../../../server/mongo/models.js';
import { createDeliveryStore } from '../../../server/webhooks/delivery-store.js';
import { createOutboxStore } from '../../../server/webhooks/outbox-store.js';
import { createWebhookStore } from '../../../server/webhooks/webhook-store.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();
const connection = await connectMongo({ uri });
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
function deliveriesOf(
  webhookId: string,
  count: number,
  dueInMs: number,
  { state = 'pending', byAdmin = false } = {},
) {
  return Array.from({ length: count }, (_, n) => {
    const id = `${webhookId} ${dueInMs} ${state} ${byAdmin} ${n}`;
    return { _id: id, eventId: id, webhookId, state, byAdmin, due: new Date(Date.now() + dueInMs) };
  });
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
    ...deliveriesOf('on', 11, -hourMs, { state: 'delivered' }),
    ...deliveriesOf('off', 13, -hourMs),
    ...deliveriesOf('off', 2, -hourMs, { byAdmin: true }),
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
  await put('reputation_marks', [{ anchorId: 'harbour', corridor: 'usdc-ngn', day: '2026-11-21' }]);
});
afterAll(() => connection.close());

describe('the backlogs', () => {
  it('are events not fanned out, deliveries without an end, open disputes and intents not counted', async () => {
    expect(await outbox.countOpen()).toBe(4);
    expect(await deliveries.countOpen()).toBe(30);
    expect(await disputes.countOpen()).toBe(2);
    expect(await marks.count()).toBe(1);
  });

  it('of due deliveries has what may be sent now: nothing held, nothing of a webhook that is gone', async () => {
    expect(await deliveries.countDue(new Date(), enabledAmong)).toBe(7);
  });

  it('are read by indexes, and no collection is scanned for them', async () => {
    const { db } = connection;
    await db?.command({ profile: 2 });
    try {
      await outbox.countOpen();
      await deliveries.countOpen();
      await deliveries.countDue(new Date(), enabledAmong);
      await disputes.countOpen();
      await marks.count();
    } finally {
      await db?.command({ profile: 0 });
    }
    const reads = await connection
      .collection('system.profile')
      .find({ op: { $in: ['query', 'command'] }, planSummary: { $exists: true } })
      .toArray();
    expect(reads.map(({ planSummary }) => String(planSummary))).toHaveLength(8);
    for (const { planSummary, command } of reads) {
      expectFor(JSON.stringify(command), planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN|COUNT_SCAN|IDHACK)/);
    }
  });

  it('are not counted at all where the index is missing', async () => {
    const counted = countUpTo(connection.model('Dispute'), { status: 'open' }, 'no_such_index');
    await expect(counted).rejects.toThrow(/hint/);
  });
});
