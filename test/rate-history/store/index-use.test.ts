import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createRateSampleStore, type RateSampleStore } from '../../../server/features/rate-history/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const quarterMs = 900_000;
const start = Date.parse('2026-11-01T00:00:00Z');
let connection: Connection;
let store: RateSampleStore;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  store = createRateSampleStore(connection);
  await prepareCollections(connection);
  const packed = Buffer.from([0x3b]);
  const documents = Array.from({ length: 3 * 960 }, (_, index) => {
    const corridor = `usdc-${'abc'[index % 3]}aa`;
    const slot = Math.floor(index / 3);
    const grain = slot % 96 === 0 ? '1d' : slot % 4 === 0 ? '1h' : '15m';
    const at = new Date(start + slot * quarterMs);
    return { _id: `${corridor} ${at.toISOString()}` as never, corridor, at, grain, packed };
  });
  await connection.collection('rate_samples').insertMany(documents);
});
afterAll(() => connection.close());

/** The operations that MongoDB profiled during the work: documents examined and returned. */
async function profiled(work: () => Promise<unknown>) {
  const { db } = connection;
  await db?.command({ profile: 2 });
  await work().catch(() => undefined);
  await db?.command({ profile: 0 });
  const lines = await connection
    .collection('system.profile')
    .find({ ns: /rate_samples$/, op: { $in: ['query', 'command'] } })
    .toArray();
  await connection.collection('system.profile').drop();
  return lines.map(({ docsExamined, keysExamined, hasSortStage = false, nreturned }) => ({
    docsExamined,
    keysExamined,
    hasSortStage,
    nreturned,
  }));
}

it('the latest sample at a moment is one key of each grain and one document', async () => {
  const [query] = await profiled(() => store.findAsOf('usdc-baa', start + 500 * quarterMs));
  expect(query).toMatchObject({ docsExamined: 1, nreturned: 1, hasSortStage: false });
  expect(query?.keysExamined).toBeLessThanOrEqual(6);
});

it('a page is read in order, without the samples beside it', async () => {
  const range = { corridor: 'usdc-baa', resolution: '1h', from: start, to: start + 960 * quarterMs } as const;
  const [query] = await profiled(() => store.list(range, { order: 'desc', limit: 51 }));
  expect(query).toMatchObject({ docsExamined: 51, nreturned: 51, hasSortStage: false });
});

it('the instants of a day are read from the index alone', async () => {
  const range = { corridor: 'usdc-baa', resolution: '15m', from: start, to: start + 96 * quarterMs } as const;
  const [query] = await profiled(() => store.listInstants(range, 100));
  expect(query).toMatchObject({ docsExamined: 0, nreturned: 96, hasSortStage: false });
});

it('what may be removed is found without what is kept for good', async () => {
  let removed = 0;
  await profiled(async () => {
    removed = await store.removeBefore(start + 100 * quarterMs, 1_000);
  });
  // Of 100 slots in each of three corridors, the first slot of each of two days stays.
  expect(removed).toBe(3 * 98);
});
