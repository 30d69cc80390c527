import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createLookStore, type LookStore } from '../../../server/features/intents/look-store.js';
import { createTurns } from '../../../server/features/intents/turns.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import {
  addressOf,
  knownIntent,
  paidIntent,
  unknownIntent,
  waitingIntent,
} from '../../fixtures/intents/waiting-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const nowMs = Date.UTC(2026, 10, 21, 9, 30);
const now = new Date(nowMs);
const later = new Date(nowMs + 60_000);
let connection: Connection;
let store: LookStore;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  store = createLookStore(connection);
  await prepareCollections(connection);
});
afterAll(() => connection.close());
beforeEach(async () => {
  await intentDocuments(connection).deleteMany({});
});

/** The transaction ids that have the next turns, in order. */
async function nextTurns(count: number, turns = createTurns(store, 'harbour')): Promise<string[]> {
  const ids: string[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const next = await turns.take(now, later);
    if (next !== null) ids.push(next.intent.transactionId ?? '');
  }
  return ids;
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe('a new id has its first look', () => {
  it('after one look for each address that has new ids waiting, however many ids that are', async () => {
    const invented = many(400, (index) => ({ id: `invented-${index}`, address: addressOf(index % 20) }));
    await insertIntents(
      connection,
      ...invented.map((each) => waitingIntent({ ...each, nowMs: nowMs - 1_000 })),
      waitingIntent({ id: 'genuine', nowMs, address: '192.0.2.1' }),
    );
    expect(await nextTurns(21)).toContain('genuine');
  });

  it('before ids of the same address that were attached earlier for one other account', async () => {
    const own = many(30, (index) => ({ id: `other-${index}`, account: 'other' }));
    await insertIntents(
      connection,
      ...own.map((each) => waitingIntent({ ...each, nowMs: nowMs - 1_000 })),
      waitingIntent({ id: 'genuine', nowMs }),
    );
    expect(await nextTurns(2)).toContain('genuine');
  });

  it('undelayed by intents that others registered in the name of its account', async () => {
    const named = many(60, (index) => ({ id: `named-${index}`, address: addressOf(index % 3) }));
    await insertIntents(
      connection,
      ...named.map((each) => waitingIntent({ ...each, nowMs: nowMs - 1_000 })),
      waitingIntent({ id: 'genuine', nowMs, address: '192.0.2.1' }),
    );
    expect(await nextTurns(4)).toContain('genuine');
  });

  it('while any number of ids that the anchor knows are due', async () => {
    await insertIntents(
      connection,
      ...many(50, (index) =>
        knownIntent({ id: `known-${index}`, nowMs: nowMs - 1_000, address: addressOf(index) }),
      ),
      waitingIntent({ id: 'genuine', nowMs, address: '192.0.2.1' }),
    );
    expect(await nextTurns(2)).toContain('genuine');
  });
});

describe('the turns are shared', () => {
  it('so that known ids have one look in ten, paid ones two, and unknown ones one, while new ones are endless', async () => {
    await insertIntents(
      connection,
      ...many(20, (index) => waitingIntent({ id: `new-${index}`, nowMs, address: addressOf(index) })),
      ...many(20, (index) => knownIntent({ id: `known-${index}`, nowMs, address: addressOf(index) })),
      ...many(20, (index) => paidIntent({ id: `paid-${index}`, nowMs })),
      ...many(20, (index) => unknownIntent({ id: `unknown-${index}`, nowMs })),
    );
    const kinds = (await nextTurns(20)).map((id) => id.split('-')[0]);
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect(['new', 'known', 'paid', 'unknown'].map(count)).toEqual([12, 2, 4, 2]);
  });

  it('so that of paid ids those of one account do not delay another account', async () => {
    await insertIntents(
      connection,
      ...many(40, (index) => paidIntent({ id: `many-${index}`, nowMs: nowMs - 1_000 })),
      paidIntent({ id: 'one', nowMs, account: 'another' }),
    );
    expect(await nextTurns(2)).toContain('one');
  });

  it('so that an unused share goes to known ids first, and to unknown ones last', async () => {
    await insertIntents(
      connection,
      ...many(3, (index) => unknownIntent({ id: `unknown-${index}`, nowMs: nowMs - 2_000 })),
      ...many(6, (index) => knownIntent({ id: `known-${index}`, nowMs })),
    );
    const kinds = (await nextTurns(9)).map((id) => id.split('-')[0]);
    expect(kinds.slice(0, 5)).toEqual(many(5, () => 'known'));
    expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(3);
  });

  it('so that the next run goes on with the client after the last one', async () => {
    await insertIntents(
      connection,
      ...many(40, (index) =>
        waitingIntent({ id: `${index % 4}-${index}`, nowMs, address: addressOf(index % 4) }),
      ),
    );
    const turns = createTurns(store, 'harbour');
    const served = [...(await nextTurns(6, turns)), ...(await nextTurns(6, turns))].map((id) => id[0]);
    for (const client of ['0', '1', '2', '3'])
      expect(served.filter((each) => each === client)).toHaveLength(3);
  });

  it('only among intents that are due', async () => {
    await insertIntents(connection, waitingIntent({ id: 'tomorrow', nowMs: nowMs + 86_400_000 }));
    expect(await nextTurns(3)).toEqual([]);
  });
});

describe('an intent that was stored before there were queues', () => {
  it.each([
    ['not seen yet', 'new', waitingIntent({ id: 'old', nowMs })],
    ['seen', 'known', knownIntent({ id: 'old', nowMs })],
    ['paid', 'paid', paidIntent({ id: 'old', nowMs })],
  ])('and was %s has its turn among the %s ones', async (_name, queue, intent) => {
    await insertIntents(connection, intent);
    const added = { lookQueue: '', unknownLooks: '', firstLookAt: '', client: '' };
    await intentDocuments(connection).updateOne({}, { $unset: added } as never);
    await store.enqueueOld('harbour', now);
    const taken = await createTurns(store, 'harbour').take(now, later);
    expect(taken).toMatchObject({ queue, intent: { transactionId: 'old', client: null, unknownLooks: 0 } });
  });

  it('and has no transaction is ended with the others', async () => {
    const { transactionId: _, ...bare } = waitingIntent({ id: 'old', nowMs });
    await insertIntents(connection, bare);
    await intentDocuments(connection).updateOne({}, { $unset: { lookQueue: '' } } as never);
    await store.enqueueOld('harbour', now);
    expect(await store.findDueUnpolled('harbour', now, 10)).toHaveLength(1);
  });
});

describe('every query of the turns', () => {
  it('is served by an index, without sorting the backlog or reading all of it', async () => {
    await insertIntents(
      connection,
      ...many(400, (index) => waitingIntent({ id: `n-${index}`, nowMs, address: addressOf(index % 30) })),
      ...many(200, (index) =>
        unknownIntent({ id: `u-${index}`, nowMs: nowMs + 1_000 * index, address: addressOf(index) }),
      ),
    );
    const { db } = connection;
    await db?.command({ profile: 2 });
    try {
      expect(await store.listAnchorsWithDue(now)).toEqual(['harbour']);
      await store.enqueueOld('harbour', now);
      await nextTurns(30);
      await store.findDueUnpolled('harbour', now, 500);
    } finally {
      await db?.command({ profile: 0 });
    }
    const ns = `${db?.databaseName}.intents`;
    const profiled = await db?.collection('system.profile').find({ ns }).toArray();
    expect(profiled?.length).toBeGreaterThan(60);
    for (const { planSummary, hasSortStage, keysExamined, docsExamined } of profiled ?? []) {
      expect(planSummary).toMatch(/IXSCAN|DISTINCT_SCAN|IDHACK/);
      expect(hasSortStage).toBeUndefined();
      expect(docsExamined).toBeLessThanOrEqual(50);
      // One or two keys are examined per client without a due id, never one per id.
      expect(keysExamined).toBeLessThanOrEqual(2 * 201);
    }
  });
});
