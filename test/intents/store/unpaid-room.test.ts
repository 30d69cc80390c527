import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import pLimit from 'p-limit';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { createUnpaidRoom } from '../../../server/features/intents/unpaid-room.js';
import { createUnpaidStore, type UnpaidStore } from '../../../server/features/intents/unpaid-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const max = 240;
const { uri } = testDatabase();
let connection: Connection;
let store: IntentStore;
let unpaid: UnpaidStore;
let registered = 0;
let now = 0;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  store = createIntentStore(connection);
  unpaid = createUnpaidStore(connection);
  await prepareCollections(connection);
});
afterAll(() => connection.close());
beforeEach(() => intentDocuments(connection).deleteMany({}));

/** One instance's registrations of clients in the room for unpaid intents; true where one was accepted. */
function instance() {
  const room = createUnpaidRoom({ store: unpaid, max, clock: () => now });
  return async (client: string): Promise<boolean> => {
    const intent = unpaidIntent(registered++, { client });
    try {
      return (await room.withPlace(client, async () => ({ created: await store.insert(intent) }))).created;
    } catch (error) {
      expect(error).toMatchObject({ code: 'NOT_READY', extras: { retryAfter: 600 } });
      return false;
    }
  };
}

/** As many requests at the same time as the pool has connections on a busy machine. */
const someAtOnce = pLimit(8);
const hogs = Array.from({ length: 40 }, (_, index) => `aa00${index.toString(16).padStart(2, '0')}`);

it('keeps a place for the next client while 40 register all they can, and stays below the cap', async () => {
  const register = instance();
  const accepted = new Map<string, number>();
  for (let round = 0; round < 7; round += 1) {
    const answers = await Promise.all(
      hogs.map((hog) => someAtOnce(async () => [hog, await register(hog)] as const)),
    );
    for (const [hog, ok] of answers) if (ok) accepted.set(hog, (accepted.get(hog) ?? 0) + 1);
  }
  const stored = await unpaid.countUnpaid(2 * max);
  // There are 41 equal shares, one of which nobody uses.
  expect(stored).toBeLessThanOrEqual((max * 40) / 41 + 1);
  expect(stored).toBe([...accepted.values()].reduce((sum, count) => sum + count, 0));
  const shares = hogs.map((hog) => accepted.get(hog) ?? 0);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  for (const newcomer of ['bb0001', 'bb0002', 'bb0003']) expect(await register(newcomer)).toBe(true);
  expect(await register(hogs[0] ?? '')).toBe(false);
});

it('lets no burst of registrations at once pass the cap', async () => {
  const register = instance();
  await Promise.all(hogs.flatMap((hog) => Array.from({ length: 7 }, () => someAtOnce(() => register(hog)))));
  expect(await unpaid.countUnpaid(2 * max)).toBeLessThanOrEqual(max);
});

it('learns within five seconds what other instances have stored and what was removed', async () => {
  const [here, there] = [instance(), instance()];
  expect(await here('cc0001')).toBe(true);
  for (let count = 0; count < max / 2; count += 1) await there('cc0002');
  now += 5_001;
  expect(await there('cc0002')).toBe(false);
  expect(await here('cc0003')).toBe(true);
  await intentDocuments(connection).deleteMany({ client: 'cc0002' });
  now += 5_001;
  expect(await there('cc0002')).toBe(true);
});

it('gives the place back where nothing was stored', async () => {
  const room = createUnpaidRoom({ store: unpaid, max: 2, clock: () => now });
  for (let count = 0; count < 5; count += 1) {
    await expect(room.withPlace('dd0001', () => Promise.reject(new Error('no quote')))).rejects.toThrow(
      'no quote',
    );
    await room.withPlace('dd0001', async () => ({ created: false }));
  }
  await expect(room.withPlace('dd0001', async () => ({ created: true }))).resolves.toEqual({ created: true });
});

it('counts what a client holds only once half of the places are taken', async () => {
  const counted: string[] = [];
  const room = createUnpaidRoom({
    store: {
      countUnpaid: async () => 0,
      countUnpaidOf: async (client) => {
        counted.push(client);
        return 0;
      },
    },
    max: 6,
    clock: () => now,
  });
  for (const client of ['ee0001', 'ee0002', 'ee0003', 'ee0004', 'ee0005']) {
    await room.withPlace(client, async () => ({ created: true }));
  }
  expect(counted).toEqual(['ee0004', 'ee0005']);
});
