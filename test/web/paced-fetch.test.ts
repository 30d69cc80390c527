import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../contract/rate-limits.js';
import { knownMs, newAmountsAtOnce, newAmountsLimit } from '../../web/src/data/new-amounts.js';
import { createPacedFetch } from '../../web/src/data/paced-fetch.js';

const startMs = 1_700_000_000_000;

/** A service with fixed windows of 60 s, whose time passes only during sleeps. */
function service(limit: number) {
  let now = startMs;
  let windowEnds = 0;
  let taken = 0;
  const statuses: number[] = [];
  const slept: number[] = [];
  const fetch = async () => {
    if (now >= windowEnds) {
      windowEnds = now + 60_000;
      taken = 0;
    }
    taken += 1;
    const status = taken > limit ? 429 : 200;
    statuses.push(status);
    return new Response('{}', {
      status,
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - taken)),
        'x-ratelimit-reset': String(Math.ceil(windowEnds / 1_000)),
      },
    });
  };
  let stored: string | null = null;
  const load = () =>
    createPacedFetch({
      fetch,
      clock: () => now,
      async sleep(waitMs, signal) {
        slept.push(waitMs);
        signal?.throwIfAborted();
        now += waitMs;
      },
      stored: {
        read: () => stored,
        write(text) {
          stored = text;
        },
      },
    });
  const pass = (ms: number) => {
    now += ms;
  };
  const store = (text: string | null) => {
    stored = text;
  };
  return { paced: load(), load, store, statuses, slept, pass, now: () => now };
}

describe('the fetch of the page', () => {
  it('is never refused, however many reads follow one another', async () => {
    const { paced, statuses } = service(60);
    for (let n = 0; n < 400; n += 1) await paced('/api/anchors', { method: 'GET' });
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('is never refused where reads wait at the same time', async () => {
    const { paced, statuses } = service(60);
    await paced('/api/anchors', { method: 'GET' });
    await Promise.all(Array.from({ length: 200 }, () => paced('/api/anchors', { method: 'GET' })));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('does not slow reads down by the refusal of a new amount, which tells of another limit', async () => {
    const slept: number[] = [];
    const answer = (status: number, limit: number, remaining: number) =>
      new Response('{}', {
        status,
        headers: {
          'x-ratelimit-limit': String(limit),
          'x-ratelimit-remaining': String(remaining),
          'x-ratelimit-reset': String(startMs / 1_000 + 60),
        },
      });
    const answers = [answer(200, 90, 80), answer(429, 30, 0), answer(200, 90, 79)];
    const paced = createPacedFetch({
      fetch: async () => answers.shift() as Response,
      clock: () => startMs + 55_000,
      async sleep(waitMs) {
        slept.push(waitMs);
      },
      stored: { read: () => null, write: () => undefined },
    });
    for (let n = 0; n < 3; n += 1) await paced('/api/rates/usdc-ngn', { method: 'GET' });
    expect(slept).toEqual([]);
  });

  it('lets the first forty of sixty reads through at once', async () => {
    const { paced, slept } = service(60);
    for (let n = 0; n < 40; n += 1) await paced('/api/anchors', { method: 'GET' });
    expect(slept).toEqual([]);
  });

  it('takes nothing of the limit for a read that was given up before its turn', async () => {
    const { paced, statuses } = service(3);
    for (let n = 0; n < 2; n += 1) await paced('/api/anchors', { method: 'GET' });
    const gone = { method: 'GET', signal: AbortSignal.abort(new Error('another page')) };
    await expect(paced('/api/anchors', gone)).rejects.toThrow('another page');
    await paced('/api/anchors', { method: 'GET' });
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('never delays what is written', async () => {
    const { paced, slept } = service(2);
    for (let n = 0; n < 3; n += 1) await paced('/api/reputation/dispute', { method: 'POST' });
    expect(slept).toEqual([]);
  });

  it('slows down before more new amounts are asked for than the service takes of one client', async () => {
    const { points, windowSeconds } = rateLimitClasses.newAmounts;
    // An open stream asks the anchors again every 15 s, and four requests may arrive late, with those of the next minute.
    const ofStream = windowSeconds / 15;
    expect(newAmountsLimit).toEqual({ points: points - ofStream - 4, windowMs: windowSeconds * 1_000 });
    const { paced, slept } = service(1_000_000);
    const all = newAmountsLimit.points;
    for (let n = 0; n < newAmountsAtOnce; n += 1)
      await paced(`/api/rates/usdc-ngn?amount=${n}`, { method: 'GET' });
    // The same amounts again, and requests without an amount, are known to the service.
    for (let n = 0; n < newAmountsAtOnce; n += 1)
      await paced(`/api/rates/usdc-ngn?amount=${n}&sort=score`, { method: 'GET' });
    for (let n = 0; n < 20; n += 1) await paced('/api/rates/usdc-ngn', { method: 'GET' });
    expect(slept).toEqual([]);
    for (let n = newAmountsAtOnce; n < all; n += 1)
      await paced(`/api/rates/usdc-ngn/stream?amount=${n}`, { method: 'GET' });
    const tookMs = slept.reduce((sum, ms) => sum + ms, 0);
    expect(slept).toHaveLength(all - newAmountsAtOnce);
    expect(tookMs).toBe(newAmountsLimit.windowMs);
  });

  it('counts an amount anew once an anchor that failed is asked again for it', async () => {
    const { paced, pass, slept } = service(1_000_000);
    const askAll = async () => {
      for (let n = 0; n < newAmountsAtOnce; n += 1)
        await paced(`/api/rates/usdc-ngn?amount=${n}`, { method: 'GET' });
    };
    await askAll();
    pass(knownMs - 1);
    await askAll();
    expect(slept).toEqual([]);
    pass(1);
    await askAll();
    expect(slept).not.toEqual([]);
  });

  it('counts the new amounts of a page that was loaded before, and of other tabs', async () => {
    const { paced, load, slept } = service(1_000_000);
    for (let n = 0; n < newAmountsAtOnce; n += 1)
      await paced(`/api/rates/usdc-ngn?amount=${n}`, { method: 'GET' });
    expect(slept).toEqual([]);
    await load()('/api/rates/usdc-ngn?amount=500', { method: 'GET' });
    expect(slept).toHaveLength(1);
    await paced('/api/rates/usdc-ngn?amount=501', { method: 'GET' });
    expect(slept).toHaveLength(2);
  });

  it('counts new amounts where the browser stores nothing', async () => {
    const { paced, store, slept } = service(1_000_000);
    for (let n = 0; n <= newAmountsAtOnce; n += 1) {
      store(null);
      await paced(`/api/rates/usdc-ngn?amount=${n}`, { method: 'GET' });
    }
    expect(slept).toHaveLength(1);
  });

  it.each(['', 'x', 'NaN', 'Infinity', String(startMs + 86_400_000)])(
    'waits for one turn at most where something else is stored, such as "%s"',
    async (text) => {
      const { paced, store, slept } = service(1_000_000);
      store(text);
      await paced('/api/rates/usdc-ngn?amount=1', { method: 'GET' });
      const { points, windowMs } = newAmountsLimit;
      expect(slept.length).toBeLessThanOrEqual(1);
      expect(slept[0] ?? 0).toBeLessThanOrEqual(windowMs / (points - newAmountsAtOnce));
    },
  );

  it('asks for no more new amounts than the limit in any minute, whenever a minute of the service begins', async () => {
    const { points, windowMs } = newAmountsLimit;
    const { paced, pass, now } = service(1_000_000);
    const at: number[] = [];
    const ask = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        await paced(`/api/rates/usdc-ngn?amount=${at.length}`, { method: 'GET' });
        at.push(now());
      }
    };
    // A window of the service may begin at any time, with a request of another page of this client.
    await ask(1);
    pass(windowMs - 10_000);
    await ask(points - 1);
    await ask(3 * points);
    const mostInAMinute = Math.max(
      ...at.map((from) => at.filter((one) => one >= from && one < from + windowMs).length),
    );
    expect(mostInAMinute).toBeLessThanOrEqual(points);
  });
});
