import { afterAll, expect, it } from '@jest/globals';
import { createRateLimiter } from '../../../server/limits/rate-limiter.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { privateMongo } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
/** The time limit of one operation, with a margin for a busy machine. */
const answerWithinMs = 4_000;

const mongo = await privateMongo();
const connection = await connectMongo({ uri: mongo.uri });
afterAll(async () => {
  mongo.thaw();
  await connection.close();
  await mongo.stop();
});

it('an instance whose database does not answer serves what it holds and one further limit, and shares again later', async () => {
  const machine = { clock: Date.now, clockIsOff: () => false };
  const limiter = createRateLimiter({ connection, ...machine, logger: silentLogger });
  await prepareCollections(connection);
  const grantedOf = async (key: string, times: number) => {
    const states = await Promise.all(Array.from({ length: times }, async () => limiter.take(rule, key)));
    return states.filter(({ retryAfterSeconds }) => retryAfterSeconds === undefined).length;
  };
  expect(await grantedOf('known', 1)).toBe(1);
  mongo.freeze();
  const startedAt = performance.now();
  // Ten points of the first portion are held.
  expect(await grantedOf('known', 200)).toBe(10 + rule.points);
  expect(performance.now() - startedAt).toBeLessThan(answerWithinMs);
  for (const key of ['a', 'b', 'c']) await limiter.take(rule, key);
  expect(limiter.isAlone()).toBe(true);
  const openedAt = performance.now();
  expect(await grantedOf('new', 200)).toBe(rule.points);
  expect(performance.now() - openedAt).toBeLessThan(answerWithinMs);
  mongo.thaw();
  await waitFor(
    async () => {
      await limiter.take(rule, 'probe');
      expect(limiter.isAlone()).toBe(false);
    },
    { timeout: 20_000, interval: 500 },
  );
  // All but the eleven that were drawn before, and what draws without an answer took.
  expect(await grantedOf('known', 200)).toBeLessThanOrEqual(rule.points - 11);
}, 60_000);
