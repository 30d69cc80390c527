import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeliveryLog } from '../../../server/features/webhooks/delivery-log.js';
import { verdictOn } from '../../../server/features/webhooks/delivery-state.rules.js';
import { newDelivery, timedId } from '../../../server/features/webhooks/new-delivery.rules.js';
import { clockPresent, serverPresent } from '../../../server/features/webhooks/present.js';
import {
  type AttemptRow,
  type DeliveryRow,
  deliveryModel,
  webhookModel,
} from '../../../server/features/webhooks/store.js';
import {
  type Claimed,
  createWorkQueue,
  type WorkQueue,
} from '../../../server/features/webhooks/work-queue.js';
import type { Settlement } from '../../../server/features/webhooks/work-updates.rules.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { tick } from '../../fixtures/deliveries/delivery-instance.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const connection = await connectMongo({ uri });
const deliveries = deliveryModel(connection);
const startMs = Date.now();
const claimMs = 15_000;
let nowMs = startMs;
const queue: WorkQueue = createWorkQueue({ deliveries, present: clockPresent(() => nowMs), claimMs });

beforeAll(() => prepareCollections(connection));
afterAll(() => connection.close());
beforeEach(async () => {
  nowMs = startMs;
  await deliveries.deleteMany({});
});

const freshId = () => randomBytes(16).toString('hex');

/** `count` deliveries in one lane, due now and a millisecond apart. */
async function put(lane: string, count: number, dueMs = startMs - count): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, index) =>
    newDelivery({
      id: timedId('dlv', startMs, freshId()),
      webhookId: lane,
      lane,
      test: false,
      event: {
        id: `evt_${freshId()}`,
        event: 'publisher.tick',
        createdAt: new Date(startMs),
        data: tick(1),
      },
      nowMs: startMs,
      due: new Date(dueMs + index),
    }),
  );
  await deliveries.insertMany(rows);
  return rows.map(({ _id }) => _id);
}

function attemptOf({ attempt }: Claimed, outcome: AttemptRow['outcome'], answer = ''): AttemptRow {
  return { attempt, at: new Date(nowMs), outcome, status: 200, elapsedMs: 3, answer };
}

function settlement(delivery: Claimed, outcome: AttemptRow['outcome'], answer?: string): Settlement {
  return {
    delivery,
    record: attemptOf(delivery, outcome, answer),
    verdict: verdictOn(outcome, delivery.attempt, delivery.lastAttempt),
    delayMs: 10_000,
  };
}

async function read(id: string | undefined): Promise<DeliveryRow> {
  const row = await deliveries.findById(id).lean<DeliveryRow>();
  if (row === null) throw new Error(`no delivery ${id}`);
  return row;
}

async function claimOne(lane: string, token: string): Promise<Claimed> {
  const { claimed } = await queue.claim(lane, 1, token);
  const [only] = claimed;
  if (only === undefined) throw new Error('nothing was claimed');
  return only;
}

describe('a claim', () => {
  it('takes what is due, the oldest first, up to its limit, and counts the attempt', async () => {
    const ids = await put('whk_a', 5);
    await put('whk_b', 1);
    await put('whk_a', 1, startMs + 1);
    const first = await queue.claim('whk_a', 3, 'one');
    expect(first.claimed.map(({ _id }) => _id)).toEqual(ids.slice(0, 3));
    expect(first).toMatchObject({ more: true, exhausted: 0 });
    expect(first.claimed.every(({ attempt, owner }) => attempt === 1 && owner === 'one')).toBe(true);
    expect(await read(ids[0])).toMatchObject({
      owner: 'one',
      attempt: 1,
      due: new Date(startMs + claimMs),
      claimedAt: new Date(startMs),
    });
    const second = await queue.claim('whk_a', 3, 'two');
    expect(second.claimed.map(({ _id }) => _id)).toEqual(ids.slice(3));
    expect(second.more).toBe(false);
  });

  it('of twelve at once gives every delivery to exactly one', async () => {
    const ids = await put('whk_a', 60);
    const server = createWorkQueue({ deliveries, present: serverPresent, claimMs });
    const claimed: string[] = [];
    for (let round = 0; claimed.length < ids.length && round < 40; round += 1) {
      const tokens = Array.from({ length: 12 }, (_, index) => `${round}:${index}`);
      const claims = await Promise.all(tokens.map((token) => server.claim('whk_a', 5, token)));
      for (const [index, claim] of claims.entries()) {
        expect(claim.claimed.every(({ owner }) => owner === tokens[index])).toBe(true);
        claimed.push(...claim.claimed.map(({ _id }) => _id));
      }
    }
    expect(claimed.sort()).toEqual([...ids].sort());
    expect(await deliveries.countDocuments({ attempt: 1 })).toBe(ids.length);
  });

  it('that ends without a record is an attempt of unknown outcome, and the next one follows at once', async () => {
    const [id] = await put('whk_a', 1);
    await claimOne('whk_a', 'one');
    nowMs += claimMs - 1;
    expect((await queue.claim('whk_a', 1, 'two')).claimed).toEqual([]);
    expect(await queue.lanes()).toEqual([]);
    nowMs += 1;
    expect(await queue.lanes()).toEqual(['whk_a']);
    expect(await claimOne('whk_a', 'three')).toMatchObject({ attempt: 2, owner: 'three' });
    expect((await read(id)).attempts).toEqual([
      { attempt: 1, at: new Date(startMs), outcome: 'unknown', status: null, elapsedMs: null, answer: null },
    ]);
  });

  it('that ends without a record at the last attempt exhausts the delivery, and gives it to nobody', async () => {
    const [id] = await put('whk_a', 1);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(await claimOne('whk_a', String(attempt))).toMatchObject({ attempt });
      nowMs += claimMs;
    }
    expect(await queue.claim('whk_a', 1, 'five')).toMatchObject({ claimed: [], exhausted: 1 });
    const row = await read(id);
    expect(row).toMatchObject({ state: 'exhausted', open: false, owner: null, attempt: 4 });
    expect(row.attempts.map(({ outcome }) => outcome)).toEqual(Array(4).fill('unknown'));
    expect(await queue.lanes()).toEqual([]);
  });

  it('by the time of the database is not early for an instance whose clock runs ahead', async () => {
    await put('whk_a', 1);
    const server = createWorkQueue({ deliveries, present: serverPresent, claimMs: 60_000 });
    expect((await server.claim('whk_a', 1, 'one')).claimed).toHaveLength(1);
    const row = await deliveries.findOne().lean<DeliveryRow>();
    expect(Math.abs((row?.due.getTime() ?? 0) - Date.now() - 60_000)).toBeLessThan(5_000);
    expect((await server.claim('whk_a', 1, 'two')).claimed).toEqual([]);
  });
});

describe('a settlement', () => {
  it('of an acknowledgement ends the delivery and keeps the record', async () => {
    const [id] = await put('whk_a', 1);
    const delivery = await claimOne('whk_a', 'one');
    expect(await queue.settle([settlement(delivery, 'acknowledged')])).toBe(1);
    const row = await read(id);
    expect(row).toMatchObject({ state: 'delivered', open: false, owner: null, claimedAt: null });
    expect(row.attempts).toEqual([attemptOf(delivery, 'acknowledged')]);
  });

  it('of a failure makes it due after the delay, with the answer as it was', async () => {
    const [id] = await put('whk_a', 1);
    const delivery = await claimOne('whk_a', 'one');
    nowMs += 2_000;
    for (const answer of ['$attempt', '{"$set": 1}', '$$NOW'])
      await queue.settle([settlement(delivery, 'failed', answer)]);
    const row = await read(id);
    expect(row.attempts.map(({ answer }) => answer)).toEqual(['$attempt']);
    expect(row).toMatchObject({ state: 'pending', open: true, due: new Date(nowMs + 10_000) });
  });

  it('of many at once, of several claims and attempts, gives each its own record and its own end', async () => {
    const [lapsed] = await put('whk_a', 1, startMs - 100);
    await queue.claim('whk_a', 1, 'zero');
    nowMs += claimMs;
    const ids = await put('whk_a', 30);
    const first = await queue.claim('whk_a', 16, 'one');
    const second = await queue.claim('whk_a', 16, 'two');
    const claimed = [...first.claimed, ...second.claimed];
    expect(new Set(claimed.map(({ _id }) => _id))).toEqual(new Set([lapsed, ...ids]));
    const outcomes = ['acknowledged', 'refused', 'failed', 'timeout'] as const;
    const all = claimed.map((delivery, index) => ({
      ...settlement(delivery, outcomes[index % 4] ?? 'failed', `answer of ${delivery._id}`),
      delayMs: index,
    }));
    expect(await queue.settle(all)).toBe(31);
    const states = { acknowledged: 'delivered', refused: 'refused', failed: 'pending', timeout: 'pending' };
    for (const { delivery, record, delayMs } of all) {
      const row = await read(delivery._id);
      const waits = record.outcome === 'failed' || record.outcome === 'timeout';
      expect(row).toMatchObject({ owner: null, claimedAt: null, attempt: delivery.attempt, open: waits });
      expect(row.state).toBe(states[record.outcome as keyof typeof states]);
      expect(row.attempts.at(-1)).toEqual(record);
      expect(row.attempts).toHaveLength(delivery._id === lapsed ? 2 : 1);
      expect(row.settledAt).toEqual(waits ? null : new Date(nowMs + 3));
      if (waits) expect(row.due).toEqual(new Date(nowMs + delayMs));
    }
  });

  it('by one whose claim has ended and was taken over changes nothing', async () => {
    const [id] = await put('whk_a', 1);
    const late = await claimOne('whk_a', 'one');
    nowMs += claimMs;
    const present = await claimOne('whk_a', 'two');
    const before = await read(id);
    for (const outcome of ['acknowledged', 'refused', 'failed'] as const)
      expect(await queue.settle([settlement(late, outcome)])).toBe(0);
    await queue.release([late]);
    expect(await read(id)).toEqual(before);
    expect(await queue.settle([settlement(present, 'acknowledged')])).toBe(1);
  });

  it('by one whose claim has ended and was not taken over still counts', async () => {
    await put('whk_a', 1);
    const late = await claimOne('whk_a', 'one');
    nowMs += 10 * claimMs;
    expect(await queue.settle([settlement(late, 'acknowledged')])).toBe(1);
  });

  it('keeps the last twenty attempts', async () => {
    const [id] = await put('whk_a', 1);
    await deliveries.updateOne({ _id: id }, { $set: { lastAttempt: 30 } });
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      await queue.settle([settlement(await claimOne('whk_a', String(attempt)), 'failed')]);
      nowMs += 10_000;
    }
    expect((await read(id)).attempts.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 6),
    );
  });
});

describe('a release', () => {
  it('hands a claim back at once, and its attempt does not count', async () => {
    const [id] = await put('whk_a', 1);
    await queue.release([await claimOne('whk_a', 'one')]);
    expect(await read(id)).toMatchObject({ owner: null, attempt: 0, open: true, attempts: [] });
    expect(await claimOne('whk_a', 'two')).toMatchObject({ attempt: 1 });
  });
});

describe('what the database looks at', () => {
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

  it('to list the lanes is one key of each, however long they are', async () => {
    for (const lane of ['whk_a', 'whk_b', 'whk_c']) await put(lane, 300);
    const [only, ...others] = await profiled(async () => expect(await queue.lanes()).toHaveLength(3));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ docsExamined: 0 });
    expect(only?.keysExamined).toBeLessThan(8);
  });

  it('to claim from a lane is what is claimed, however long it and others are', async () => {
    for (const lane of ['whk_a', 'whk_b', 'whk_c']) await put(lane, 300);
    const profiles = await profiled(() => queue.claim('whk_b', 8, 'one'));
    expect(profiles.length).toBeGreaterThanOrEqual(2);
    for (const { keysExamined, docsExamined, hasSortStage } of profiles) {
      expect(keysExamined).toBeLessThan(20);
      expect(docsExamined).toBeLessThanOrEqual(8);
      expect(hasSortStage).not.toBe(true);
    }
  });

  it('to list a page of deliveries is that page, with a state or without', async () => {
    await put('whk_a', 300);
    for (let round = 0; round < 3; round += 1) {
      const { claimed } = await queue.claim('whk_a', 50, `${round}`);
      const outcome = (['acknowledged', 'refused', 'failed'] as const)[round] ?? 'failed';
      await queue.settle(claimed.map((delivery) => settlement(delivery, outcome)));
    }
    const log = createDeliveryLog({
      webhooks: webhookModel(connection),
      deliveries,
      present: serverPresent,
      wake: () => undefined,
      clock: () => startMs,
      newId: freshId,
    });
    await webhookModel(connection).collection.insertOne({ _id: 'whk_a', enabled: true } as never);
    for (const query of [{}, { state: 'pending' }, { state: 'delivered' }] as const) {
      const [only] = await profiled(async () =>
        expect((await log.list('whk_a', query)).items).toHaveLength(50),
      );
      expect(only?.planSummary).not.toContain('COLLSCAN');
      expect(only?.docsExamined).toBeLessThanOrEqual(51);
      expect(only?.hasSortStage).not.toBe(true);
    }
  });
});
