import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type CacheEpoch, createCacheEpoch } from '../../../server/features/cache/epoch.js';
import { type CacheEpochStore, createCacheEpochStore } from '../../../server/features/cache/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger as logger } from '../../support/silent-logger.js';

const database = testDatabase();
let connection: Connection;
let store: CacheEpochStore;
let here: CacheEpoch;
let there: CacheEpoch;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  store = createCacheEpochStore(connection);
  here = createCacheEpoch({ store, logger });
  there = createCacheEpoch({ store, logger });
  await prepareCollections(connection);
});
afterAll(async () => {
  await connection.close();
});

it('an operation of operators changes the epoch here also while the database is away', async () => {
  const away = { ...store, raise: () => Promise.reject(new Error('of the test')) };
  const alone = createCacheEpoch({ store: away, logger });
  const before = alone.current();
  await alone.raise();
  expect(alone.current()).not.toBe(before);
});

it('emptying the caches counts up by one however often it happens at once', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there).empty()));
  expect(new Set(all.map(({ epoch }) => epoch)).size).toBe(20);
});
