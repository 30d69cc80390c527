import { beforeEach, describe, expect, it } from '@jest/globals';
import { createRateLimiter, type RateLimiter } from '../../../server/limits/rate-limiter.js';
import { limitWindowModel } from '../../../server/limits/window-store.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testConnection } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const connection = await testConnection({ monitored: true });
const rule = { points: 60, windowSeconds: 60, key: 'client' } as const;
const ofADay = { points: 10, windowSeconds: 86_400, key: 'publicKey' } as const;

/** Draws that were sent to the database. */
let draws = 0;
/** The monotonic time of all instances, moved by tests. */
let now = 0;
let clockIsOff = false;
let key: string;
let keys = 0;

function openInstance(maxWindows?: number): RateLimiter {
  const clocks = { clock: Date.now, clockIsOff: () => clockIsOff, stopwatch: () => now };
  const bound = maxWindows === undefined ? {} : { maxWindows };
  return createRateLimiter({ connection, logger: silentLogger, ...clocks, ...bound });
}

connection.getClient().on('commandStarted', ({ commandName }) => {
  if (commandName === 'findAndModify') draws += 1;
});
openInstance();
await prepareCollections(connection);
beforeEach(() => {
  key = freshKey();
  draws = 0;
  clockIsOff = false;
});

const stored = () => limitWindowModel(connection).findOne({ key }).lean().orFail();

/** Lets the window end, by the stored time and by the instances'. */
async function endWindow(): Promise<void> {
  await limitWindowModel(connection).updateOne({ key }, { expire: new Date(Date.now() - 1) });
  now += rule.windowSeconds * 1_000;
}

/** The remainders of granted requests, and `refused` for the others, one request after another. */
async function take(limiter: RateLimiter, times: number, of: typeof rule | typeof ofADay = rule) {
  const answers: (number | 'refused')[] = [];
  for (let count = 0; count < times; count += 1) {
    const { remaining, retryAfterSeconds } = await limiter.take(of, key);
    answers.push(retryAfterSeconds === undefined ? remaining : 'refused');
  }
  return answers;
}

const grantedOf = (answers: readonly unknown[]) => answers.filter((each) => each !== 'refused').length;

describe('a window that is used up on one instance', () => {
  it.each([
    [1, 1],
    [20, 4],
    [90, 8],
    [12_000, 10],
  ])('of %i points costs at most %i draws, refusals included', async (points, mostDraws) => {
    const limiter = openInstance();
    const countDown = [...Array(points).keys()].reverse();
    const expected = [...countDown, ...Array(100).fill('refused')];
    expect(await take(limiter, points + 100, { ...rule, points } as never)).toEqual(expected);
    expect(draws).toBeLessThanOrEqual(mostDraws);
  });

  it('is refused until it ends, and then the next one begins with a small portion again', async () => {
    const limiter = openInstance();
    await take(limiter, rule.points);
    now += 59_000;
    const { retryAfterSeconds, resetSeconds } = await limiter.take(rule, key);
    expect(retryAfterSeconds).toBe(1);
    expect(Math.abs(resetSeconds - Date.now() / 1_000 - 60)).toBeLessThan(5);
    await endWindow();
    expect(await take(limiter, 1)).toEqual([rule.points - 1]);
    expect((await stored()).points).toBe(7);
  });

  it('answers at once what it holds or refuses, without a promise', async () => {
    const limiter = openInstance();
    await take(limiter, 1);
    expect(limiter.take(rule, key)).toMatchObject({ limit: rule.points, remaining: rule.points - 2 });
    await take(limiter, rule.points);
    expect(limiter.take(rule, key)).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
  });
});

describe('several instances', () => {
  it('grant the limit together, whoever is asked, and the last draw gets what is left', async () => {
    const instances = Array.from({ length: 8 }, () => openInstance());
    let granted = 0;
    for (let round = 0; round < 50; round += 1)
      for (const instance of instances) granted += grantedOf(await take(instance, 1));
    expect(granted).toBe(rule.points);
    expect(draws).toBeLessThanOrEqual(16);
  });

  it('grant no more than the limit where 400 requests open the window at once', async () => {
    const instances = Array.from({ length: 8 }, () => openInstance());
    const all = Array.from({ length: 50 }, () => instances).flat();
    const answers = await Promise.all(all.map((instance) => take(instance, 1)));
    expect(grantedOf(answers.flat())).toBe(rule.points);
    expect(draws).toBeLessThanOrEqual(32);
  });

  it('lose only the points that a stopped one held', async () => {
    await take(openInstance(), 1);
    expect(grantedOf(await take(openInstance(), 100))).toBe(rule.points - 7);
  });

  it('draw single points of a window of a day, so that a stopped one holds none', async () => {
    for (let count = 0; count < 9; count += 1)
      expect(await take(openInstance(), 1, ofADay)).toEqual([9 - count]);
    expect(await take(openInstance(), 2, ofADay)).toEqual([0, 'refused']);
  });
});

describe('points that are held', () => {
  it('are not granted after their window has ended', async () => {
    const limiter = openInstance();
    await take(limiter, 1);
    await endWindow();
    await take(openInstance(), 40);
    // Seven, fourteen and twenty-eight points of the new window are drawn.
    expect(grantedOf(await take(limiter, 20))).toBe(rule.points - 49);
  });

  it('are served no longer than a window lasts, whatever end is stored', async () => {
    await limitWindowModel(connection).create({ key, points: 0, expire: new Date(Date.now() + 3_600_000) });
    const limiter = openInstance();
    await take(limiter, 1);
    now += rule.windowSeconds * 1_000;
    draws = 0;
    await take(limiter, 1);
    expect(draws).toBe(1);
  });

  it('are forgotten where too many other keys were drawn since, and granted to nobody twice', async () => {
    const limiter = openInstance(2);
    await take(limiter, 1);
    const first = key;
    for (const other of ['a', 'b']) await limiter.take(rule, other);
    key = first;
    expect(grantedOf(await take(limiter, 100))).toBe(rule.points - 7);
  });
});

it('requests of one key that arrive together wait for one draw, and for the next where it was not enough', async () => {
  const limiter = openInstance();
  const answers = await Promise.all(Array.from({ length: 10 }, () => take(limiter, 1)));
  expect(answers.flat()).toEqual([59, 58, 57, 56, 55, 54, 53, 52, 51, 50]);
  expect(draws).toBe(2);
});

it('what is left is shown without taking a point or asking the database', async () => {
  const limiter = openInstance();
  const shown = () => limiter.peek(rule, key);
  expect(shown()).toMatchObject({ remaining: 60, retryAfterSeconds: undefined });
  await take(limiter, 1);
  const first = draws;
  expect(shown()).toMatchObject({ remaining: 59, retryAfterSeconds: undefined });
  expect([await take(limiter, 1), draws]).toEqual([[58], first]);
  await take(limiter, 100);
  const drawn = draws;
  expect(shown()).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
  expect(draws).toBe(drawn);
});

it('an instance whose clock is off grants one further limit by itself, and leaves the shared window alone', async () => {
  const limiter = openInstance();
  await take(limiter, 1);
  const drawn = (await stored()).points;
  clockIsOff = true;
  expect(limiter.isAlone()).toBe(true);
  expect(grantedOf(await take(limiter, 100))).toBe(drawn - 1 + rule.points);
  expect((await stored()).points).toBe(drawn);
  clockIsOff = false;
  expect(grantedOf(await take(limiter, 100))).toBe(rule.points - drawn);
});

function freshKey(): string {
  keys += 1;
  return `getRates|198.51.100.${keys}`;
}
