import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Connection } from 'mongoose';
import { takeFrom } from '../../../server/limits/held-window.rules.js';
import { createRateLimiter, type RateLimiter } from '../../../server/limits/rate-limiter.js';
import { limitWindowModel } from '../../../server/limits/window-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import type { RateLimitState } from '../../../server/ports.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
const connections: Connection[] = [];

/** A limiter as in each instance of the service, with a long time limit, because speed is not tested here. */
async function openLimiter() {
  const connection = await connectMongo({ uri: database.uri });
  connections.push(connection);
  const limiter = createRateLimiter({
    connection,
    clock: Date.now,
    logger: silentLogger,
    timeoutMs: 10_000,
    maxKeys: 1_000,
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

function firstConnection(): Connection {
  const [connection] = connections;
  if (connection === undefined) throw new Error('not connected');
  return connection;
}

function windows() {
  return limitWindowModel(firstConnection());
}

/** Removes the instances of earlier tests from the count. */
async function forgetInstances() {
  await windows().deleteOne({ _id: 'instances' });
}

/** Monotonic time that passes only when the test moves it. */
function stoppedStopwatch() {
  let passedMs = 0;
  return {
    options: {
      clock: Date.now,
      stopwatch: () => passedMs,
      logger: silentLogger,
      timeoutMs: 10_000,
      maxKeys: 1_000,
    },
    pass(ms: number) {
      passedMs += ms;
    },
  };
}

/** Takes a point without the database, as requests do whose answer is cached. */
function takeHeld(limiter: RateLimiter, key: string, now = performance.now()): RateLimitState | undefined {
  const held = limiter.held(key);
  return held && takeFrom(held, now);
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
    expect(granted(states)).toHaveLength(rule.points);
  });

  it('at two instances, one after another, share the points of one limit exactly', async () => {
    const states = await Promise.all(
      [first, second, first, second].map(async (limiter) => {
        const own: RateLimitState[] = [];
        for (let n = 0; n < 60; n += 1) own.push(await limiter.consume(rule, client));
        return own;
      }),
    );
    expect(granted(states.flat())).toHaveLength(rule.points);
  });

  it('never see a remainder grow at one instance, even where another gives points back', async () => {
    const shown: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      const clock = stoppedStopwatch();
      const passing = createRateLimiter({ connection: firstConnection(), ...clock.options });
      shown.push((await first.consume(rule, client)).remaining);
      await passing.consume(rule, client);
      shown.push((await first.consume(rule, client)).remaining);
      await passing.stop();
    }
    expect(shown).toEqual([...shown].sort((a, b) => b - a));
  });
});

describe('a client that has used up its limit', () => {
  it('is refused until the window ends, without a database operation', async () => {
    await Promise.all(Array.from({ length: 91 }, () => first.consume(rule, client)));
    await windows().deleteOne({ _id: client });
    const again = await Promise.all(Array.from({ length: 50 }, () => first.consume(rule, client)));
    expect(granted(again)).toEqual([]);
    expect(takeHeld(first, client)).toMatchObject({
      remaining: 0,
      retryAfterSeconds: expect.any(Number),
    });
    expect(await windows().findById(client)).toBeNull();
  });

  it('is refused by another instance, too, the second time from memory', async () => {
    await Promise.all(Array.from({ length: 90 }, () => first.consume(rule, client)));
    const refused = await second.consume(rule, client);
    await windows().deleteOne({ _id: client });
    const again = await second.consume(rule, client);
    expect(granted([refused, again])).toEqual([]);
    expect(again.resetSeconds).toBe(refused.resetSeconds);
    expect(await windows().findById(client)).toBeNull();
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

  it('is drawn from in portions, most requests being answered without the database', async () => {
    expect(takeHeld(first, client)).toBeUndefined();
    await first.consume(rule, client);
    expect(await windows().findById(client).lean()).toMatchObject({ points: rule.points / 2 });
    for (let n = 2; n <= rule.points / 2; n += 1)
      expect(takeHeld(first, client)?.remaining).toBe(rule.points - n);
    expect(takeHeld(first, client)).toBeUndefined();
  });

  it('is drawn from at most twice by an instance that is alone', async () => {
    await forgetInstances();
    const clock = stoppedStopwatch();
    const alone = createRateLimiter({ connection: firstConnection(), ...clock.options });
    await alone.upkeep();
    const draws = { count: 0 };
    for (let n = 1; n <= rule.points; n += 1) {
      if (takeHeld(alone, client, 0) !== undefined) continue;
      draws.count += 1;
      expect((await alone.consume(rule, client)).remaining).toBe(rule.points - n);
    }
    expect(draws.count).toBe(2);
    expect(takeHeld(alone, client, 0)?.retryAfterSeconds).toBe(60);
    await alone.stop();
  });

  it('that ends later than it can, since the clock of the database was set back, is followed by a new one', async () => {
    const clock = stoppedStopwatch();
    const limiter = createRateLimiter({ connection: firstConnection(), ...clock.options });
    await Promise.all(Array.from({ length: 91 }, () => limiter.consume(rule, client)));
    expect((await limiter.consume(rule, client)).retryAfterSeconds).toBeLessThanOrEqual(60);
    // Simulates a window that was stored an hour later than its time.
    const { expire } = (await windows().findById(client).lean()) as { expire: Date };
    await windows().updateOne({ _id: client }, { $set: { expire: new Date(expire.getTime() + 3_600_000) } });
    expect((await second.consume(rule, client)).remaining).toBe(rule.points - 1);
    clock.pass(rule.windowSeconds * 1_000);
    expect(limiter.peek(rule, client).remaining).toBe(rule.points);
    expect(granted([await limiter.consume(rule, client)])).toHaveLength(1);
  });

  it('of each of 500 simultaneous clients begins with its first request', async () => {
    const keys = Array.from({ length: 500 }, (_, place) => `${client}/${place}`);
    const states = await Promise.all(keys.map((key) => first.consume(rule, key)));
    expect(states.map((state) => state.remaining)).toEqual(keys.map(() => rule.points - 1));
    expect(await windows().countDocuments({ _id: { $in: keys } })).toBe(keys.length);
  });
});

describe('an instance on a machine with a wrong clock', () => {
  const trueTime = Date.now.bind(Date);
  const short = { points: 6, windowSeconds: 2, key: 'client' } as const;
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([-90_000, 61_000, 90_000_000])(
    'that is off by %i ms refuses a client exactly as long as another instance',
    async (shiftMs) => {
      const there = createRateLimiter({
        connection: firstConnection(),
        clock: trueTime,
        logger: silentLogger,
        timeoutMs: 10_000,
        maxKeys: 1_000,
      });
      const own = await first.consume(short, client);
      jest.spyOn(Date, 'now').mockImplementation(() => trueTime() + shiftMs);
      const states: RateLimitState[] = [];
      for (let times = 0; times < 5; times += 1) states.push(await there.consume(short, client));
      // The other instance holds half of them.
      expect(granted(states)).toHaveLength(3);
      for (const state of states) expect(state.resetSeconds).toBe(own.resetSeconds);
      expect(states.at(-1)?.retryAfterSeconds).toBeLessThanOrEqual(2);
      await delay(own.resetSeconds * 1_000 - trueTime() + 50);
      expect(granted([await there.consume(short, client)])).toHaveLength(1);
    },
  );
});

describe('the count of instances', () => {
  const limiter = () => createRateLimiter({ connection: firstConnection(), ...stoppedStopwatch().options });

  it('stays where MongoDB removed the document, so that no instance draws as if it were alone', async () => {
    await forgetInstances();
    const [one, other] = [limiter(), limiter()];
    for (const each of [one, other, one]) await each.upkeep();
    await forgetInstances();
    await one.upkeep();
    await one.consume(rule, client);
    expect(await drawn(client)).toBe(Math.ceil(rule.points / 4));
    await Promise.all([one.stop(), other.stop()]);
  });

  it('is not reduced by an instance that stops before it was counted, as a migration does', async () => {
    await forgetInstances();
    const [one, other] = [limiter(), limiter()];
    for (const each of [one, other]) await each.upkeep();
    const before = await windows().findById('instances').lean();
    await limiter().stop();
    expect(await windows().findById('instances').lean()).toEqual(before);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('points that an instance has drawn and does not use', () => {
  it('go back when the key rests, once other instances draw from the window', async () => {
    const clock = stoppedStopwatch();
    const leaving = createRateLimiter({ connection: firstConnection(), ...clock.options });
    await second.consume(rule, client);
    await leaving.consume(rule, client);
    clock.pass(2_000);
    await leaving.upkeep();
    const before = await drawn(client);
    clock.pass(10_000);
    await leaving.upkeep();
    await leaving.upkeep();
    expect(before - (await drawn(client))).toBe(Math.ceil(rule.points / 2 / 4) - 1);
    const states = await Promise.all(Array.from({ length: 100 }, () => second.consume(rule, client)));
    // One point was used at the other instance, and one here before.
    expect(granted(states)).toHaveLength(rule.points - 2);
  });

  it('go back when another instance joins one that was alone', async () => {
    await forgetInstances();
    const alone = createRateLimiter({ connection: firstConnection(), ...stoppedStopwatch().options });
    await alone.upkeep();
    for (let n = 0; n < 70; n += 1) await alone.consume(rule, client);
    expect(await drawn(client)).toBe(rule.points);
    await first.upkeep();
    await alone.upkeep();
    expect(await drawn(client)).toBe(70);
    const states = await Promise.all(Array.from({ length: 100 }, () => first.consume(rule, client)));
    expect(granted(states)).toHaveLength(rule.points - 70);
    await alone.stop();
  });

  it('go back when the instance stops, and are granted by the one that follows', async () => {
    const stopping = createRateLimiter({ connection: firstConnection(), ...stoppedStopwatch().options });
    await stopping.consume(rule, client);
    await stopping.stop();
    expect(await drawn(client)).toBe(1);
    expect(takeHeld(stopping, client, 0)).toBeUndefined();
    const states = await Promise.all(Array.from({ length: 100 }, () => second.consume(rule, client)));
    expect(granted(states)).toHaveLength(rule.points - 1);
  });

  it('go back when the instance holds more keys than it may, and the oldest give way', async () => {
    const small = createRateLimiter({
      connection: firstConnection(),
      ...stoppedStopwatch().options,
      maxKeys: 10,
    });
    const keys = Array.from({ length: 30 }, (_, place) => `${client}/${place}`);
    for (const key of keys) await small.consume(rule, key);
    expect(keys.filter((key) => takeHeld(small, key, 0) !== undefined)).toEqual(keys.slice(-10));
    await small.upkeep();
    for (const key of keys.slice(0, 20)) expect(await drawn(key)).toBe(1);
    const states = await Promise.all(Array.from({ length: 100 }, () => small.consume(rule, client)));
    expect(granted(states)).toHaveLength(rule.points);
  });

  it('are not lost to a client whose window gives way again and again', async () => {
    const small = createRateLimiter({
      connection: firstConnection(),
      clock: Date.now,
      logger: silentLogger,
      timeoutMs: 10_000,
      maxKeys: 50,
    });
    // Every new key displaces another one, half of whose limit is unused.
    let others = 0;
    for (let request = 1; request <= rule.points; request += 1) {
      const { retryAfterSeconds } = await small.consume(rule, client);
      expect([request, retryAfterSeconds]).toEqual([request, undefined]);
      if (request % 10 !== 0) continue;
      await Promise.all(
        Array.from({ length: 160 }, () => small.consume(rule, `${client}-other-${++others}`)),
      );
    }
    expect((await small.consume(rule, client)).retryAfterSeconds).toBeGreaterThan(0);
  });

  it('do not go back into the window that follows theirs', async () => {
    const stopping = createRateLimiter({ connection: firstConnection(), ...stoppedStopwatch().options });
    await stopping.consume(rule, client);
    await windows().updateOne({ _id: client }, { $set: { expire: new Date(Date.now() - 1) } });
    await second.consume(rule, client);
    await stopping.stop();
    expect(await drawn(client)).toBe(rule.points / 2);
  });
});

async function drawn(key: string): Promise<number> {
  return (await windows().findById(key).lean())?.points ?? Number.NaN;
}
