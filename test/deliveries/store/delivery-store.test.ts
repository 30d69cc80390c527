import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { afterAttempt } from '../../../server/deliveries/attempts.rules.js';
import type { FinishedAttempt } from '../../../server/deliveries/claims.rules.js';
import {
  type AttemptDocument,
  type Claimed,
  type DeliveryDocument,
  type DeliveryQuery,
  newDelivery,
  queueKey,
  timedId,
} from '../../../server/deliveries/delivery.rules.js';
import { createDeliveryStore } from '../../../server/deliveries/delivery-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { tick } from '../../fixtures/deliveries/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const connection = await connectMongo({ uri });
const store = createDeliveryStore(connection);
const deliveries = connection.collection<DeliveryDocument>('deliveries');
const claimMs = 20_000;
/** How much time may pass between two moments that a test treats as the same. */
const busyMs = 5_000;

beforeAll(() => prepareCollections(connection));
afterAll(() => connection.close());
beforeEach(async () => {
  await deliveries.deleteMany({});
});

const freshId = () => randomBytes(16).toString('hex');

/** Stores deliveries of one webhook; the last is due since `dueAgoMs`, and each earlier one a millisecond longer. */
async function put(webhookId: string, count: number, dueAgoMs = 0): Promise<string[]> {
  const nowMs = Date.now();
  const rows = Array.from({ length: count }, (_, index) =>
    newDelivery({
      id: timedId('dlv', nowMs, freshId()),
      webhookId,
      priority: 'normal',
      test: false,
      event: {
        id: `evt_${freshId()}`,
        event: 'publisher.tick',
        createdAt: new Date(nowMs),
        data: tick(1),
      },
      now: new Date(nowMs - dueAgoMs - count + 1 + index),
    }),
  );
  await store.add(rows);
  return rows.map(({ _id }) => _id);
}

/** Moves every stored time back, as if this time had passed. */
async function age(ms: number): Promise<void> {
  const earlier = (field: string) => ({ $cond: [{ $eq: [field, null] }, null, { $subtract: [field, ms] }] });
  const times = { due: earlier('$due'), claimedAt: earlier('$claimedAt') };
  await connection.collection('deliveries').updateMany({}, [{ $set: times }]);
}

const claim = (queue: string, limit: number, owner: string) => store.claim({ queue, limit, owner, claimMs });

async function claimOne(queue: string, owner: string): Promise<Claimed> {
  const [only] = (await claim(queue, 1, owner)).claimed;
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
  };
}

async function read(id = 'none'): Promise<DeliveryDocument> {
  const delivery = await deliveries.findOne({ _id: id });
  if (delivery === null) throw new Error(`there is no delivery ${id}`);
  return delivery;
}

/** Checks that the instant is at most a moment ago. */
function expectNow(instant: Date | null | undefined, offsetMs = 0): void {
  const agoMs = Date.now() + offsetMs - (instant?.getTime() ?? 0);
  expect(agoMs).toBeGreaterThanOrEqual(-50);
  expect(agoMs).toBeLessThan(busyMs);
}

describe('a claim', () => {
  it('takes what is due, the longest due first, up to its limit, and counts the attempt', async () => {
    const ids = await put('whk_a', 5);
    await put('whk_b', 1);
    await put('whk_a', 1, -60_000);
    const first = await claim('whk_a', 3, 'one');
    expect(first.claimed.map(({ _id }) => _id)).toEqual(ids.slice(0, 3));
    expect(first).toMatchObject({ more: true, exhausted: 0 });
    expect(first.claimed.every(({ attempt, owner }) => attempt === 1 && owner === 'one')).toBe(true);
    const delivery = await read(ids[0]);
    expect(delivery).toMatchObject({ owner: 'one', attempt: 1 });
    expectNow(delivery.claimedAt);
    expectNow(delivery.due, claimMs);
    const second = await claim('whk_a', 3, 'two');
    expect(second.claimed.map(({ _id }) => _id)).toEqual(ids.slice(3));
    expect(second.more).toBe(false);
  });

  it('by twelve at once gives every delivery to exactly one', async () => {
    const ids = await put('whk_a', 60);
    const claimed: string[] = [];
    for (let round = 0; claimed.length < ids.length && round < 40; round += 1) {
      const tokens = Array.from({ length: 12 }, (_, index) => `${round}:${index}`);
      const claims = await Promise.all(tokens.map((token) => claim('whk_a', 5, token)));
      for (const [index, one] of claims.entries()) {
        expect(one.claimed.every(({ owner }) => owner === tokens[index])).toBe(true);
        claimed.push(...one.claimed.map(({ _id }) => _id));
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
    expect((await claim('whk_a', 1, 'two')).claimed).toEqual([]);
    expect(await store.dueQueues()).toEqual([]);
    await age(busyMs);
    expect(await store.dueQueues()).toEqual(['whk_a']);
    expect(await claimOne('whk_a', 'three')).toMatchObject({ attempt: 2, owner: 'three' });
    const at = new Date((claimedAt?.getTime() ?? 0) - claimMs);
    expect((await read(id)).attempts).toEqual([
      { attempt: 1, at, outcome: 'unknown', status: null, elapsedMs: null, answer: null, signedWith: null },
    ]);
  });

  it('that ends without a record at the last attempt exhausts the delivery, and gives it to nobody', async () => {
    const [id] = await put('whk_a', 1);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(await claimOne('whk_a', String(attempt))).toMatchObject({ attempt });
      await age(claimMs);
    }
    expect(await claim('whk_a', 1, 'five')).toMatchObject({ claimed: [], exhausted: 1 });
    const delivery = await read(id);
    expect(delivery).toMatchObject({ state: 'exhausted', open: false, owner: null, attempt: 4 });
    expectNow(delivery.settledAt);
    expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(Array(4).fill('unknown'));
    expect(await store.dueQueues()).toEqual([]);
  });
});

describe('the record of an attempt', () => {
  it('that was acknowledged ends the delivery', async () => {
    const [id] = await put('whk_a', 1);
    const acknowledged = finished(await claimOne('whk_a', 'one'), 'acknowledged');
    expect(await store.record([acknowledged])).toBe(1);
    const delivery = await read(id);
    expect(delivery).toMatchObject({ state: 'delivered', open: false, owner: null, claimedAt: null });
    expect(delivery.attempts).toEqual(acknowledged.posts);
  });

  it('that failed makes the delivery due after the delay', async () => {
    const [id] = await put('whk_a', 1);
    await store.record([finished(await claimOne('whk_a', 'one'), 'failed')]);
    const delivery = await read(id);
    expect(delivery).toMatchObject({ state: 'pending', open: true, owner: null });
    expectNow(delivery.due, 10_000);
  });

  it('that took two POSTs keeps both and ends as the last one did', async () => {
    const [id] = await put('whk_a', 1);
    const accepted = finished(await claimOne('whk_a', 'one'), 'acknowledged');
    const at = new Date(accepted.posts[0].at.getTime() + 50);
    const refused = { ...accepted.posts[0], outcome: 'refused' as const, status: 401 };
    await store.record([{ ...accepted, posts: [refused, { ...accepted.posts[0], at }] }]);
    const delivery = await read(id);
    expect(delivery).toMatchObject({ state: 'delivered', attempt: 1, lastAttempt: 4 });
    expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(['refused', 'acknowledged']);
    expect(delivery.settledAt).toEqual(new Date(at.getTime() + 3));
  });

  it.each(['$attempt', '{"$set": 1}', '$$NOW'])('keeps the answer %j as it is', async (answer) => {
    const [id] = await put('whk_a', 1);
    await store.record([finished(await claimOne('whk_a', 'one'), 'failed', answer)]);
    expect((await read(id)).attempts.map((attempt) => attempt.answer)).toEqual([answer]);
  });

  it('is written once, also where it is written again because the connection was lost', async () => {
    const [id] = await put('whk_a', 1);
    const failed = finished(await claimOne('whk_a', 'one'), 'failed');
    expect(await store.record([failed])).toBe(1);
    expect(await store.record([failed])).toBe(0);
    expect((await read(id)).attempts).toHaveLength(1);
  });

  it('is its own and no other where many are written at once, of several claims and attempts', async () => {
    const [lapsed] = await put('whk_a', 1, 100);
    await claim('whk_a', 1, 'zero');
    await age(claimMs);
    const ids = await put('whk_a', 30);
    const first = await claim('whk_a', 16, 'one');
    const second = await claim('whk_a', 16, 'two');
    const claimed = [...first.claimed, ...second.claimed];
    expect(new Set(claimed.map(({ _id }) => _id))).toEqual(new Set([lapsed, ...ids]));
    const outcomes = ['acknowledged', 'refused', 'failed', 'timeout'] as const;
    const all = claimed.map((delivery, index) => ({
      ...finished(delivery, outcomes[index % 4] ?? 'failed', `answer of ${delivery._id}`),
      delayMs: 20_000 * index,
    }));
    expect(await store.record(all)).toBe(31);
    const states = { acknowledged: 'delivered', refused: 'refused', failed: 'pending', timeout: 'pending' };
    for (const { delivery: before, posts, delayMs } of all) {
      const [attempt] = posts;
      const delivery = await read(before._id);
      const waits = attempt.outcome === 'failed' || attempt.outcome === 'timeout';
      expect(delivery).toMatchObject({ owner: null, claimedAt: null, attempt: before.attempt, open: waits });
      expect(delivery.state).toBe(states[attempt.outcome as keyof typeof states]);
      expect(delivery.attempts.at(-1)).toEqual(attempt);
      expect(delivery.attempts).toHaveLength(before._id === lapsed ? 2 : 1);
      expect(delivery.settledAt).toEqual(waits ? null : new Date(attempt.at.getTime() + 3));
      if (waits) expectNow(delivery.due, delayMs);
    }
  });

  it('changes nothing where the claim has ended and another one was made', async () => {
    const [id] = await put('whk_a', 1);
    const late = await claimOne('whk_a', 'one');
    await age(claimMs);
    const present = await claimOne('whk_a', 'two');
    const before = await read(id);
    for (const outcome of ['acknowledged', 'refused', 'failed'] as const)
      expect(await store.record([finished(late, outcome)])).toBe(0);
    await store.handBack([late]);
    expect(await read(id)).toEqual(before);
    expect(await store.record([finished(present, 'acknowledged')])).toBe(1);
  });

  it('still counts where the claim has ended and no other was made', async () => {
    await put('whk_a', 1);
    const late = await claimOne('whk_a', 'one');
    await age(10 * claimMs);
    expect(await store.record([finished(late, 'acknowledged')])).toBe(1);
  });

  it('is kept with the last twenty attempts', async () => {
    const [id] = await put('whk_a', 1);
    await deliveries.updateOne({ _id: id ?? '' }, { $set: { lastAttempt: 30 } });
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      await store.record([finished(await claimOne('whk_a', String(attempt)), 'failed')]);
      await age(10_000);
    }
    expect((await read(id)).attempts.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 6),
    );
  });
});

describe('a claim that is handed back', () => {
  it('is due at once, and its attempt does not count', async () => {
    const [id] = await put('whk_a', 1);
    await store.handBack([await claimOne('whk_a', 'one')]);
    expect(await read(id)).toMatchObject({ owner: null, attempt: 0, open: true, attempts: [] });
    expect(await claimOne('whk_a', 'two')).toMatchObject({ attempt: 1 });
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

  it('is one key per queue to list the queues, however long they are', async () => {
    for (const webhook of ['whk_a', 'whk_b', 'whk_c']) await put(webhook, 300);
    const [only, ...others] = await profiled(async () => expect(await store.dueQueues()).toHaveLength(3));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ docsExamined: 0 });
    expect(only?.keysExamined).toBeLessThan(8);
  });

  it('is one key per webhook to list the webhooks that have deliveries, however many they have', async () => {
    for (const webhook of ['whk_a', 'whk_b', 'whk_c']) await put(webhook, 300);
    const [only, ...others] = await profiled(async () =>
      expect(await store.webhookIds()).toEqual(['whk_a', 'whk_b', 'whk_c']),
    );
    expect(others).toEqual([]);
    expect(only).toMatchObject({ docsExamined: 0 });
    expect(only?.keysExamined).toBeLessThan(8);
  });

  it('is what is claimed, however long this queue and others are', async () => {
    for (const webhook of ['whk_a', 'whk_b', 'whk_c']) await put(webhook, 300);
    const profiles = await profiled(() => claim('whk_b', 8, 'one'));
    expect(profiles.length).toBeGreaterThanOrEqual(2);
    for (const { keysExamined, docsExamined, hasSortStage } of profiles) {
      expect(keysExamined).toBeLessThan(20);
      expect(docsExamined).toBeLessThanOrEqual(8);
      expect(hasSortStage).not.toBe(true);
    }
  });

  it('is the page that is listed, with a state or without', async () => {
    await put('whk_a', 300);
    for (let round = 0; round < 3; round += 1) {
      const { claimed } = await claim(queueKey('whk_a', 'normal'), 50, `${round}`);
      const outcome = (['acknowledged', 'refused', 'failed'] as const)[round] ?? 'failed';
      await store.record(claimed.map((delivery) => finished(delivery, outcome)));
    }
    for (const state of [undefined, 'pending', 'delivered'] as const) {
      const page = { webhookId: 'whk_a', enabled: true, state, limit: 50 };
      const [only] = await profiled(async () => expect(await store.page(page)).toHaveLength(50));
      expect(only?.planSummary).not.toContain('COLLSCAN');
      expect(only?.docsExamined).toBeLessThanOrEqual(51);
      expect(only?.hasSortStage).not.toBe(true);
    }
  });

  it('is not the backlog, where an enabled webhook holds nothing and a disabled one sends what an admin asks for', async () => {
    const [first = ''] = await put('whk_a', 300);
    await put('whk_b', 300);
    await store.sendAgain('whk_a', first, Date.now());
    const [other] = await put('whk_a', 1);
    await store.sendAgain('whk_a', other ?? '', Date.now());
    const page = { webhookId: 'whk_a', limit: 50 };
    const listed = async (query: Pick<DeliveryQuery, 'enabled' | 'state' | 'before'>) =>
      (await store.page({ ...page, ...query })).map(({ _id }) => _id);
    const disabled = { enabled: false, state: 'pending' } as const;
    const profiles = await profiled(async () => {
      expect(await listed({ enabled: true, state: 'held' })).toEqual([]);
      expect(await listed(disabled)).toEqual([other, first]);
      expect(await listed({ ...disabled, before: other })).toEqual([first]);
    });
    expect(profiles.length).toBeGreaterThanOrEqual(2);
    for (const { docsExamined } of profiles) expect(docsExamined).toBeLessThanOrEqual(2);
    expect(await listed({ enabled: false, state: 'held' })).toHaveLength(50);
  });
});
