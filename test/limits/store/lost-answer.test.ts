import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createRateLimiter } from '../../../server/limits/rate-limiter.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { type MongoProxy, startMongoProxy } from '../../fixtures/disputes/database-proxy.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const rule = { points: 4, windowSeconds: 60, key: 'client' } as const;
let proxy: MongoProxy;
let connection: Connection;

beforeAll(async () => {
  proxy = await startMongoProxy(database.uri);
  connection = await connectMongo({ uri: proxy.uri });
  await prepareCollections(connection);
});
afterAll(async () => {
  await connection.close();
  await proxy.stop();
});

it('a draw whose answer is lost and that the driver sends again says when its window ends', async () => {
  const limiter = createRateLimiter({
    connection,
    clock: Date.now,
    logger: silentLogger,
    timeoutMs: 10_000,
    maxKeys: 10,
  });
  proxy.loseAnswer(['findAndModify', 'limit_windows', 'client of a lost answer']);
  const states = [];
  for (let request = 0; request < 6; request += 1)
    states.push(await limiter.consume(rule, 'client of a lost answer'));
  expect(proxy.lostAnswers).toBe(1);
  const waits = states.map(({ retryAfterSeconds }) => retryAfterSeconds);
  expect(waits.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  for (const wait of waits.slice(4)) {
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
  }
  for (const { resetSeconds } of states) expect(resetSeconds).toBeGreaterThan(Date.now() / 1_000);
});
