import { expect, it } from '@jest/globals';
import { createCacheFeature } from '../../../server/features/cache/feature.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testConnection } from '../../support/database.js';
import { silentLogger as logger } from '../../support/silent-logger.js';

/** The epoch as an instance has it. */
const instance = (of = connection) =>
  createCacheFeature({ connection: of, hasCorridor: () => true, clock: Date.now, logger }).epoch;

const connection = await testConnection();
const away = await testConnection();
instance();
await prepareCollections(connection);

it('an operation of operators changes the epoch here also while the database is away', async () => {
  const alone = instance(away);
  await away.close();
  const before = alone.current();
  await alone.raise();
  expect(alone.current()).not.toBe(before);
});

it('emptying the caches counts up by one however often it happens at once', async () => {
  const instances = [instance(), instance()];
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => instances[i % 2]?.empty()));
  expect(new Set(all.map((emptied) => emptied?.epoch)).size).toBe(20);
});
