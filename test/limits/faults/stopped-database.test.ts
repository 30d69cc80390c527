import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { LimitUnknownError } from '../../../server/limits/limit-unknown.js';
import { createRateLimiter } from '../../../server/limits/rate-limiter.js';
import { limitWindowModel } from '../../../server/limits/window-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
/** Two operations of 150 ms, the one under way and its own, plus a margin for a busy machine. */
const answerWithinMs = 1_000;

let mongo: PrivateMongo;
let connection: Connection;
/** The amount by which a test has moved monotonic time. */
let passedMs = 0;
const stopwatch = () => performance.now() + passedMs;
const openLimiter = () =>
  createRateLimiter({ connection, clock: Date.now, logger: silentLogger, stopwatch, maxKeys: 1_000 });
type Limiter = ReturnType<typeof openLimiter>;

beforeAll(async () => {
  mongo = await privateMongo();
  connection = await connectMongo({ uri: mongo.uri });
  openLimiter();
  await prepareCollections(connection);
});
afterEach(async () => {
  mongo.thaw();
  await waitFor(() => limitWindowModel(connection).deleteMany({}), { timeout: 20_000 });
});
afterAll(async () => {
  await connection.close();
  await mongo.stop();
});

const stored = async (key: string) => (await limitWindowModel(connection).findById(key).lean())?.points;

/** The remainders of granted requests, and `refused` or `unknown` for the others. */
function take(limiter: Limiter, key: string, times: number): Promise<(number | string)[]> {
  return Promise.all(
    Array.from({ length: times }, async () => {
      try {
        const { remaining, retryAfterSeconds } = await limiter.consume(rule, key);
        return retryAfterSeconds === undefined ? remaining : 'refused';
      } catch (error) {
        if (error instanceof LimitUnknownError) return 'unknown';
        throw error;
      }
    }),
  );
}

const grantedOf = (answers: readonly unknown[]) => answers.filter((each) => typeof each === 'number').length;

/** Waits until the limiters know how many there are, and the database answers all of them. */
async function settle(...limiters: Limiter[]): Promise<void> {
  await waitFor(
    async () => {
      for (const limiter of [...limiters, ...limiters]) await limiter.upkeep();
      expect(limiters.map((limiter) => limiter.degraded())).toEqual(limiters.map(() => false));
    },
    { timeout: 20_000, interval: 200 },
  );
}

describe('while mongod is stopped, an instance that is alone', () => {
  it('neither returns points to a client nor takes any, and delays nobody', async () => {
    const limiter = openLimiter();
    await settle(limiter);
    expect(await take(limiter, 'alone', 10)).toEqual([89, 88, 87, 86, 85, 84, 83, 82, 81, 80]);
    mongo.freeze();
    // The waves meet held points, then the breaker closed and then open.
    for (let wave = 0; wave < 16; wave += 1) {
      const startedAt = performance.now();
      const remaining = (await take(limiter, 'alone', 5)).sort((a, b) => Number(b) - Number(a));
      expect(performance.now() - startedAt).toBeLessThan(answerWithinMs);
      expect(remaining).toEqual([1, 2, 3, 4, 5].map((nth) => 80 - 5 * wave - nth));
    }
    expect(limiter.degraded()).toBe(true);
    expect(await take(limiter, 'alone', 2)).toEqual(['refused', 'refused']);
    expect(grantedOf(await take(limiter, 'new', 100))).toBe(rule.points);
    mongo.thaw();
    await settle(limiter);
    // No other instance grants the points that this one granted meanwhile.
    const other = openLimiter();
    expect(await take(other, 'alone', 1)).toEqual(['refused']);
    expect(await take(other, 'new', 1)).toEqual(['refused']);
    expect(await take(limiter, 'alone', 1)).toEqual(['refused']);
    expect(await take(limiter, 'another', 1)).toEqual([89]);
  }, 60_000);
});

describe('while mongod is stopped, one of two instances', () => {
  let limiters: [Limiter, Limiter];
  beforeAll(() => {
    limiters = [openLimiter(), openLimiter()];
  });

  it('grants what it holds, and then answers that it does not know', async () => {
    await settle(...limiters);
    for (const limiter of limiters) await take(limiter, 'shared', 1);
    const drawn = (await stored('shared')) ?? Number.NaN;
    mongo.freeze();
    const answers = await Promise.all(limiters.map((limiter) => take(limiter, 'shared', 60)));
    expect(grantedOf(answers.flat())).toBe(drawn - 2);
    expect(answers.flat()).toContain('unknown');
    expect(answers.flat()).not.toContain('refused');
    mongo.thaw();
    await settle(...limiters);
    const rest = await Promise.all(limiters.map((limiter) => take(limiter, 'shared', 90)));
    // Points drawn while mongod was stopped, whose draw no instance learnt of, are granted by nobody.
    expect(grantedOf(rest.flat())).toBeLessThanOrEqual(rule.points - drawn);
    expect(grantedOf(rest.flat())).toBeGreaterThan(0);
  }, 60_000);

  it('grants its share of a window that begins then, once the database has been away for a while', async () => {
    await settle(...limiters);
    mongo.freeze();
    for (const limiter of limiters) expect(await take(limiter, 'fresh', 1)).toEqual(['unknown']);
    passedMs += 5_000;
    const answers = await Promise.all(limiters.map((limiter) => take(limiter, 'fresh', 60)));
    expect(answers.map(grantedOf)).toEqual([45, 45]);
    expect(answers.flat()).not.toContain('unknown');
    mongo.thaw();
    await settle(...limiters);
    expect(await take(openLimiter(), 'fresh', 1)).toEqual(['refused']);
    expect((await Promise.all(limiters.map((limiter) => take(limiter, 'fresh', 5)))).map(grantedOf)).toEqual([
      0, 0,
    ]);
  }, 60_000);
});
