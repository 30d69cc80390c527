import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createRateLimiter } from '../../../server/limits/rate-limiter.js';
import { limitWindowModel } from '../../../server/limits/window-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import type { RateLimitState } from '../../../server/ports.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
const connections: Connection[] = [];

/** A limiter as each instance of the service has one, with a long time limit, because speed is not tested here. */
async function openLimiter() {
  const connection = await connectMongo({ uri: database.uri });
  connections.push(connection);
  const limiter = createRateLimiter({
    connection,
    clock: Date.now,
    logger: silentLogger,
    timeoutMs: 10_000,
  });
  await prepareCollections(connection);
  return limiter;
}

let first: Awaited<ReturnType<typeof openLimiter>>;
let second: typeof first;

beforeAll(async () => {
  first = await openLimiter();
  second = await openLimiter();
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
});

let clients = 0;
let client: string;
beforeEach(() => {
  client = `getRates|198.51.100.${++clients}`;
});

function windows() {
  const [connection] = connections;
  if (connection === undefined) throw new Error('not connected');
  return limitWindowModel(connection);
}

const granted = (states: readonly RateLimitState[]) =>
  states.filter((state) => state.retryAfterSeconds === undefined);
const remainders = (states: readonly RateLimitState[]) =>
  granted(states)
    .map((state) => state.remaining)
    .sort((a, b) => b - a);
const everyRemainder = [...Array(rule.points).keys()].reverse();

describe('requests of one client at the same time', () => {
  it('get exactly as many points as the limit has, each with its own remainder', async () => {
    const states = await Promise.all(Array.from({ length: 200 }, () => first.consume(rule, client)));
    expect(remainders(states)).toEqual(everyRemainder);
  });

  it('at two instances share the points of one limit exactly', async () => {
    const states = await Promise.all(
      Array.from({ length: 300 }, (_, place) => (place % 2 === 0 ? first : second).consume(rule, client)),
    );
    expect(remainders(states)).toEqual(everyRemainder);
  });

  it('at two instances, one after another, share the points of one limit exactly', async () => {
    const states = await Promise.all(
      [first, second, first, second].map(async (limiter) => {
        const own: RateLimitState[] = [];
        for (let n = 0; n < 40; n += 1) own.push(await limiter.consume(rule, client));
        return own;
      }),
    );
    expect(remainders(states.flat())).toEqual(everyRemainder);
  });
});

describe('a client that has used up its limit', () => {
  it('is refused until the window ends, without a database operation', async () => {
    await Promise.all(Array.from({ length: 91 }, () => first.consume(rule, client)));
    const again = await Promise.all(Array.from({ length: 50 }, () => first.consume(rule, client)));
    expect(granted(again)).toEqual([]);
    expect(await windows().findById(client)).toMatchObject({ points: 91 });
  });

  it('is refused by another instance, too, the second time from memory', async () => {
    await Promise.all(Array.from({ length: 90 }, () => first.consume(rule, client)));
    const [refused, again] = [await second.consume(rule, client), await second.consume(rule, client)];
    expect(granted([refused, again])).toEqual([]);
    expect(again.resetSeconds).toBe(refused.resetSeconds);
    expect(await windows().findById(client)).toMatchObject({ points: 91 });
  });
});

describe('a window', () => {
  it('that has ended is followed by a new one, even before the old document is removed', async () => {
    await Promise.all([first, first, first].map((limiter) => limiter.consume(rule, client)));
    await windows().updateOne({ _id: client }, { $set: { expire: new Date(Date.now() - 1) } });
    const state = await second.consume(rule, client);
    expect(state.remaining).toBe(rule.points - 1);
    expect(state.resetSeconds * 1_000).toBeGreaterThan(Date.now() + 50_000);
  });

  it('that ends later than it can, since the clock of the database was set back, is followed by a new one', async () => {
    let setBackMs = 0;
    const connection = connections[0] as Connection;
    const clock = () => Date.now() - setBackMs;
    const limiter = createRateLimiter({ connection, clock, logger: silentLogger, timeoutMs: 10_000 });
    await Promise.all(Array.from({ length: 91 }, () => limiter.consume(rule, client)));
    expect((await limiter.consume(rule, client)).retryAfterSeconds).toBeLessThanOrEqual(60);
    // As stored before: an hour later than its time.
    const { expire } = (await windows().findById(client).lean()) as { expire: Date };
    await windows().updateOne({ _id: client }, { $set: { expire: new Date(expire.getTime() + 3_600_000) } });
    setBackMs = 3_600_000;
    expect(limiter.peek(rule, client).remaining).toBe(rule.points);
    setBackMs = 0;
    expect((await second.consume(rule, client)).remaining).toBe(rule.points - 1);
  });

  it('of each of 500 simultaneous clients begins with its first request', async () => {
    const keys = Array.from({ length: 500 }, (_, place) => `${client}/${place}`);
    const states = await Promise.all(keys.map((key) => first.consume(rule, key)));
    expect(states.map((state) => state.remaining)).toEqual(keys.map(() => rule.points - 1));
    expect(await windows().countDocuments({ _id: { $in: keys }, points: 1 })).toBe(keys.length);
  });
});

describe('an instance on a machine with a wrong clock', () => {
  const trueTime = Date.now.bind(Date);
  const short = { points: 3, windowSeconds: 2, key: 'client' } as const;
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([-90_000, 61_000, 90_000_000])(
    'that is off by %i ms refuses a client exactly as long as another instance',
    async (shiftMs) => {
      const connection = connections[0] as Connection;
      const there = createRateLimiter({
        connection,
        clock: trueTime,
        logger: silentLogger,
        timeoutMs: 10_000,
      });
      const own = await first.consume(short, client);
      jest.spyOn(Date, 'now').mockImplementation(() => trueTime() + shiftMs);
      const states: RateLimitState[] = [];
      for (let times = 0; times < 4; times += 1) states.push(await there.consume(short, client));
      expect(granted(states)).toHaveLength(2);
      for (const state of states) expect(state.resetSeconds).toBe(own.resetSeconds);
      expect(states.at(-1)?.retryAfterSeconds).toBeLessThanOrEqual(2);
      await delay(own.resetSeconds * 1_000 - trueTime() + 50);
      expect((await there.consume(short, client)).remaining).toBe(2);
    },
  );
});
