import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createRateLimiter, type RateLimiter } from '../../../server/limits/rate-limiter.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
/** Two operations of 150 ms, the one under way and its own, and what a busy machine adds. */
const answerWithinMs = 1_000;

let mongo: PrivateMongo;
let connection: Connection;
let limiter: RateLimiter;

beforeAll(async () => {
  mongo = await privateMongo();
  connection = await connectMongo({ uri: mongo.uri });
  limiter = createRateLimiter({ connection, clock: Date.now, logger: silentLogger });
  await prepareCollections(connection);
});
afterAll(async () => {
  await connection.close();
  await mongo.stop();
});

async function take(times: number): Promise<number[]> {
  const states = await Promise.all(Array.from({ length: times }, () => limiter.consume(rule, 'client')));
  return states.map((state) => state.remaining);
}

it('a stopped mongod neither returns points to a client nor takes any, and delays nobody', async () => {
  expect(await take(10)).toEqual([89, 88, 87, 86, 85, 84, 83, 82, 81, 80]);
  mongo.freeze();
  try {
    // In waves, some of which find the breaker closed and some open.
    for (let wave = 0; wave < 8; wave += 1) {
      const startedAt = performance.now();
      const remaining = await take(5);
      expect(performance.now() - startedAt).toBeLessThan(answerWithinMs);
      expect(remaining).toEqual([1, 2, 3, 4, 5].map((nth) => 80 - 5 * wave - nth));
    }
    expect(limiter.degraded()).toBe(true);
  } finally {
    mongo.thaw();
  }
  let left = 40;
  await waitFor(
    async () =>
      expect(
        await (async () => {
          const [remaining] = await take(1);
          expect(remaining).toBe(left - 1);
          left -= 1;
          return limiter.degraded();
        })(),
      ).toBe(false),
    { timeout: 10_000, interval: 300 },
  );
}, 30_000);
