import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let store: IntentStore;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  store = createIntentStore(connection);
  await prepareCollections(connection);
  await store.insertAll(
    Array.from({ length: 200 }, (_, index) => ({
      ...unpaidIntent(index),
      ...(index % 2 === 0 ? { transactionId: `tx${index}` } : { claimedId: `tx${index - 1}` }),
    })),
  );
});
afterAll(() => connection.close());

/** How many documents the queries of `work` read, as MongoDB's profiler tells. */
async function documentsRead(work: () => Promise<unknown>): Promise<number> {
  const db = connection.getClient().db(connection.name);
  await db.setProfilingLevel('all');
  await work();
  await db.setProfilingLevel('off');
  const profiled = await db
    .collection('system.profile')
    .find({ ns: `${connection.name}.intents` })
    .toArray();
  await db.collection('system.profile').drop();
  expect(profiled.length).toBeGreaterThan(0);
  return profiled.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
}

it('finds the holder and the claimants of a transaction without reading other intents', async () => {
  const wanted = { anchorId: 'harbour', transactionId: 'tx100' };
  expect(await store.findByTransaction(wanted.anchorId, wanted.transactionId)).not.toBeNull();
  expect(await documentsRead(() => store.findByTransaction('harbour', 'tx100'))).toBe(1);
  expect(await documentsRead(() => store.touchHolder('harbour', 'tx100'))).toBe(1);
  expect(await documentsRead(() => store.findFirstClaimant(wanted))).toBe(1);
  expect(await documentsRead(() => store.findByTransaction('harbour', 'unknown'))).toBe(0);
});
