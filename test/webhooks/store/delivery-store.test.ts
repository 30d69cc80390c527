import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { prepareCollections } from '../../../server/mongo/models.js';
import {
  type AttemptDocument,
  afterAttempt,
  type Claimed,
  type DeliveryDocument,
  type FinishedAttempt,
  newDelivery,
  timedId,
} from '../../../server/webhooks/delivery.rules.js';
import { createDeliveryStore } from '../../../server/webhooks/delivery-store.js';
import { tick } from '../../fixtures/webhooks/delivery-fixture.js';
import { testConnection } from '../../support/database.js';

const connection = await testConnection();
const store = createDeliveryStore(connection);
const deliveries = connection.collection<DeliveryDocument>('deliveries');
const claimMs = 20_000;
/** How much time may pass between two moments that a test treats as the same. */
const busyMs = 5_000;

beforeAll(() => prepareCollections(connection));
beforeEach(async () => {
  await deliveries.deleteMany({});
});

const freshId = () => randomBytes(16).toString('hex');

/** Moves every stored time back, as if this time had passed. */
async function age(ms: number): Promise<void> {
  const earlier = (field: string) => ({ $cond: [{ $eq: [field, null] }, null, { $subtract: [field, ms] }] });
  const times = { due: earlier('$due'), claimedAt: earlier('$claimedAt') };
  await connection.collection('deliveries').updateMany({}, [{ $set: times }]);
}

const claim = async (webhookId: string, limit: number, owner: string) => [
  ...(await store.claim(await store.due(webhookId, limit), owner, claimMs)).values(),
];

async function claimOne(webhookId: string, owner: string): Promise<Claimed> {
  const [only] = await claim(webhookId, 1, owner);
  if (only === undefined) throw new Error('nothing was claimed');
  return only;
}

function finished(delivery: Claimed, outcome: AttemptDocument['outcome'], answer = ''): FinishedAttempt {
  const { attempt, lastAttempt } = delivery;
  return {
    delivery,
    posts: [{ attempt, at: new Date(), outcome, status: 200, elapsedMs: 3, answer, signedWith: 'present' }],
    after: afterAttempt(outcome, attempt, lastAttempt),
    delayMs: 10_000,
    revision: 1,
  };
}

/** Checks that the instant is at most a moment ago. */
function expectNow(instant: Date | null | undefined, offsetMs = 0): void {
  const agoMs = Date.now() + offsetMs - (instant?.getTime() ?? 0);
  expect(agoMs).toBeGreaterThanOrEqual(-50);
  expect(agoMs).toBeLessThan(busyMs);
}

describe('a claim', () => {
  it('takes what is due, the longest due first, and counts the attempt', async () => {
    const ids = await put('whk_a', 5);
    await put('whk_b', 1);
    await put('whk_a', 1, -60_000);
    const first = await claim('whk_a', 3, 'one');
    expect(first.map(({ _id }) => _id)).toEqual(ids.slice(0, 3));
    expect(first.every(({ attempt, owner }) => attempt === 1 && owner === 'one')).toBe(true);
    const delivery = await read(ids[0]);
    expect(delivery).toMatchObject({ owner: 'one', attempt: 1 });
    expectNow(delivery.claimedAt);
    expectNow(delivery.due, claimMs);
    expect((await claim('whk_a', 3, 'two')).map(({ _id }) => _id)).toEqual(ids.slice(3));
  });

  it('by twelve at once gives every delivery to exactly one', async () => {
    const ids = await put('whk_a', 60);
    const claimed: string[] = [];
    for (let round = 0; claimed.length < ids.length && round < 60; round += 1) {
      const tokens = Array.from({ length: 12 }, (_, index) => `${round}:${index}`);
      const claims = await Promise.all(tokens.map((token) => claim('whk_a', 5, token)));
      for (const [index, one] of claims.entries()) {
        expect(one.every(({ owner }) => owner === tokens[index])).toBe(true);
        claimed.push(...one.map(({ _id }) => _id));
      }
    }
    expect(claimed.sort()).toEqual([...ids].sort());
    expect(await deliveries.countDocuments({ attempt: 1 })).toBe(ids.length);
  });

  it('that ends without a record counts as an attempt of unknown outcome, and the next one follows', async () => {
    const [id] = await put('whk_a', 1);
    await claimOne('whk_a', 'one');
    const { claimedAt } = await read(id);
    await age(claimMs - busyMs);
    expect(await store.dueWebhooks()).toEqual([]);
    await age(busyMs);
    expect(await store.dueWebhooks()).toEqual(['whk_a']);
    expect(await claimOne('whk_a', 'two')).toMatchObject({ attempt: 2, owner: 'two' });
    const at = new Date((claimedAt?.getTime() ?? 0) - claimMs);
    expect((await read(id)).attempts).toEqual([
      { attempt: 1, at, outcome: 'unknown', status: null, elapsedMs: null, answer: null, signedWith: null },
    ]);
  });

  it('that ends without a record at the last attempt exhausts the delivery', async () => {
    const [id] = await put('whk_a', 1);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(await claimOne('whk_a', String(attempt))).toMatchObject({ attempt });
      await age(claimMs);
    }
    expect(await claim('whk_a', 1, 'late')).toEqual([]);
    const delivery = await read(id);
    expect(delivery).toMatchObject({ state: 'exhausted', owner: null, attempt: 4 });
    expectNow(delivery.settledAt);
    expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(Array(4).fill('unknown'));
    expect(await store.dueWebhooks()).toEqual([]);
  });
});

describe('the record of an attempt', () => {
  it.each(['$attempt', '{"$set": 1}', '$$NOW'])('keeps the answer %j as it is', async (answer) => {
    const [id] = await put('whk_a', 1);
    await store.record([finished(await claimOne('whk_a', 'one'), 'failed', answer)]);
    expect((await read(id)).attempts.map((attempt) => attempt.answer)).toEqual([answer]);
  });

  it('is written once, also where it is written again because the answer of the database was lost', async () => {
    const [id] = await put('whk_a', 1);
    const failed = finished(await claimOne('whk_a', 'one'), 'failed');
    await store.record([failed]);
    await store.record([failed]);
    expect((await read(id)).attempts).toHaveLength(1);
  });

  it('changes nothing where the claim has ended and another one was made, and counts where none was made', async () => {
    const [id] = await put('whk_a', 1);
    const late = await claimOne('whk_a', 'one');
    await age(claimMs);
    const present = await claimOne('whk_a', 'two');
    const before = await read(id);
    for (const outcome of ['acknowledged', 'refused', 'failed'] as const)
      await store.record([finished(late, outcome)]);
    expect(await read(id)).toEqual(before);
    await age(10 * claimMs);
    await store.record([finished(present, 'acknowledged')]);
    expect(await read(id)).toMatchObject({ state: 'delivered' });
  });
});

describe('what the database reads', () => {
  interface Profile {
    keysExamined: number;
    docsExamined: number;
    planSummary: string;
    hasSortStage?: boolean;
  }

  /** The reads of deliveries that `work` makes, as the database's own profiler has them. */
  async function profiled(work: () => Promise<unknown>): Promise<Profile[]> {
    const { db } = connection;
    if (db === undefined) throw new Error('there is no database');
    await db.command({ profile: 2 });
    await work();
    await db.command({ profile: 0 });
    const reads = { ns: `${db.databaseName}.deliveries`, planSummary: { $exists: true } };
    const profiles = await db.collection<Profile>('system.profile').find(reads).sort({ ts: 1 }).toArray();
    await db.collection('system.profile').drop();
    return profiles;
  }

  it('is one key per webhook to list those that have due deliveries', async () => {
    for (const webhook of ['whk_a', 'whk_b', 'whk_c']) await put(webhook, 300);
    const [only, ...others] = await profiled(async () => expect(await store.dueWebhooks()).toHaveLength(3));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ docsExamined: 0 });
    expect(only?.keysExamined).toBeLessThan(8);
  });

  it('is what is claimed, however much this webhook and others have', async () => {
    for (const webhook of ['whk_a', 'whk_b', 'whk_c']) await put(webhook, 300);
    const profiles = await profiled(() => claim('whk_b', 8, 'one'));
    expect(profiles.length).toBeGreaterThanOrEqual(2);
    for (const { keysExamined, docsExamined, hasSortStage } of profiles) {
      expect(keysExamined).toBeLessThan(20);
      expect(docsExamined).toBeLessThanOrEqual(8);
      expect(hasSortStage).not.toBe(true);
    }
  });
});

/** Stores deliveries of one webhook; the last is due since `dueAgoMs`, and each earlier one a millisecond longer. */
async function put(webhookId: string, count: number, dueAgoMs = 0): Promise<string[]> {
  const nowMs = Date.now();
  const rows = Array.from({ length: count }, (_, index) =>
    newDelivery({
      id: timedId('dlv', nowMs, freshId()),
      webhookId,
      event: {
        _id: `evt_${freshId()}`,
        event: 'publisher.tick',
        createdAt: new Date(nowMs),
        data: tick(1),
      },
      body: '{}',
      now: new Date(nowMs - dueAgoMs - count + 1 + index),
    }),
  );
  await store.add(rows);
  return rows.map(({ _id }) => _id);
}

async function read(id = 'none'): Promise<DeliveryDocument> {
  const delivery = await deliveries.findOne({ _id: id });
  if (delivery === null) throw new Error(`there is no delivery ${id}`);
  return delivery;
}
