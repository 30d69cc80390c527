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
  const documents = Array.from({ length: 3 * 960 }, (_, index) => {
    const corridor = `usdc-${'abc'[index % 3]}aa`;
    const slot = Math.floor(index / 3);
    const grain = slot % 96 === 0 ? '1d' : slot % 4 === 0 ? '1h' : '15m';
    const at = new Date(start + slot * quarterMs);
    return { _id: `${corridor} ${at.toISOString()}` as never, corridor, at, grain };
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

it('a page is read in order, without the samples beside it', async () => {
  const range = { corridor: 'usdc-baa', resolution: '1h', from: start, to: start + 960 * quarterMs } as const;
  const [query] = await profiled(() => store.list(range, { order: 'desc', limit: 51 }));
  expect(query).toMatchObject({ docsExamined: 51, nreturned: 51, hasSortStage: false });
});
