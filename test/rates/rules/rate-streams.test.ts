import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../../server/errors.js';
import { createRateStreams } from '../../../server/features/rates/rate-streams.js';
import type { LiveQuestion, ServedRates } from '../../../server/features/rates/service.js';
import { heldStream } from '../../support/held-stream.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const freshMs = 15_000;
const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);
const answer = (n: number) => ({ corridor: 'usdc-ngn', n }) as unknown as RatesAnswer;

/** A question whose answers are fresh for 15 s, and kept for 60 s; each call of `ask` counts as asking the anchors. */
function following({ costs = true, payFor = async (_client: string): Promise<void> => undefined } = {}) {
  const world = {
    asked: 0,
    version: 0,
    tookMs: 0,
    fault: undefined as Error | undefined,
    kept: undefined as { at: number; fresh: ServedRates['answer']; stale: ServedRates['answer'] } | undefined,
  };
  const question: LiveQuestion = {
    key: 'q',
    version: () => world.version,
    kept() {
      const { kept } = world;
      const age = kept === undefined ? Number.POSITIVE_INFINITY : Date.now() - kept.at;
      if (kept === undefined || age >= 60_000) return undefined;
      const isFresh = age < freshMs;
      return { answer: isFresh ? kept.fresh : kept.stale, freshForMs: isFresh ? freshMs - age : 0 };
    },
    costsCalls: () => costs,
    async ask() {
      world.asked += 1;
      const { asked, version, tookMs } = world;
      if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
      if (world.fault !== undefined) throw world.fault;
      const kept = { at: Date.now(), fresh: answer(asked), stale: answer(-asked) };
      if (version === world.version) world.kept = kept;
      return { answer: kept.fresh, freshForMs: freshMs };
    },
  };
  const streams = createRateStreams({
    rates: { live: () => question },
    payFor,
    problemOf: (error) => ({ code: (error as ApiError).code }),
    clock: Date.now,
  });
  const invalidate = () => {
    world.version += 1;
    world.kept = undefined;
  };
  const follow = async (client = 'a') => {
    const feed = await streams.prepare('usdc-ngn', {}, async () => undefined);
    const stream = heldStream(client);
    feed(stream);
    const shown = () =>
      stream.events.map((text) => Number(/"n":(-?\d+)/.exec(text)?.[1] ?? Number.NaN) || text.trim());
    return { stream, shown };
  };
  return { world, follow, invalidate };
}

describe('the readers of one question', () => {
  it('share one computation for each change, and each gets every answer once', async () => {
    const { world, follow } = following();
    const readers = await Promise.all(Array.from({ length: 200 }, (_, n) => follow(`c${n}`)));
    await seconds(32);
    expect(world.asked).toBe(3);
    for (const { shown } of readers) expect(shown()).toEqual([1, 2, 3]);
  });

  it('cost nothing when there are none', async () => {
    const { world, follow } = following();
    (await follow()).stream.close();
    await seconds(600);
    expect([world.asked, jest.getTimerCount()]).toEqual([1, 0]);
  });

  it('pay in turn for the calls that their amount causes, once in 15 s', async () => {
    const paid: string[] = [];
    const { follow } = following({ payFor: async (client) => void paid.push(client) });
    for (const client of ['a', 'b', 'b', 'c']) await follow(client);
    await seconds(6 * 15 + 6);
    expect(paid).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('pay nothing for what is asked in any case', async () => {
    const paid: string[] = [];
    const { world, follow } = following({ costs: false, payFor: async (client) => void paid.push(client) });
    await follow();
    await seconds(50);
    expect([world.asked, paid]).toEqual([4, []]);
  });

  it('are not held up by one that cannot pay, however many streams it holds', async () => {
    const { world, follow } = following({
      payFor: async (client) => {
        if (client === 'broke') throw new ApiError('RATE_LIMITED', 'no points');
      },
    });
    for (let n = 0; n < 30; n += 1) await follow('broke');
    await follow('rich');
    await seconds(16);
    expect(world.asked).toBe(2);
  });

  it('are shown the stale answer while none of them can pay, and why once it is too old', async () => {
    let isBroke = true;
    const { world, follow } = following({
      payFor: async () => {
        if (isBroke) throw new ApiError('RATE_LIMITED', 'no points');
      },
    });
    const { shown } = await follow();
    await seconds(59);
    expect([world.asked, shown()]).toEqual([1, [1, -1]]);
    await seconds(16);
    expect(shown().slice(2)).toEqual(['event: problem\ndata: {"code":"RATE_LIMITED"}']);
    isBroke = false;
    await seconds(16);
    expect(shown().slice(3)).toEqual([2]);
  });

  it('are shown how old the answer is while the anchors take longer than a second', async () => {
    const { world, follow } = following();
    const { shown } = await follow();
    world.tookMs = 4_000;
    await seconds(15);
    expect(shown()).toEqual([1]);
    await seconds(2);
    expect(shown()).toEqual([1, -1]);
    await seconds(4);
    expect(shown()).toEqual([1, -1, 2]);
  });

  it('learn of a change that another request made, without asking anyone', async () => {
    const { world, follow } = following();
    const { shown } = await follow();
    world.kept = { at: Date.now(), fresh: answer(77), stale: answer(-77) };
    await seconds(1);
    expect([shown(), world.asked]).toEqual([[1, 77], 1]);
  });

  it('have the anchors asked again for what was voided, and not for what merely gave way in the cache', async () => {
    const { world, follow, invalidate } = following();
    const { shown } = await follow();
    await seconds(16);
    world.kept = undefined;
    await seconds(5);
    expect([world.asked, shown()]).toEqual([2, [1, 2]]);
    invalidate();
    await seconds(1);
    expect([world.asked, shown()]).toEqual([3, [1, 2, 3]]);
  });

  it('are never shown an answer that was voided while the anchors were asked, but the one after it', async () => {
    const { world, follow, invalidate } = following();
    const { shown } = await follow();
    world.tookMs = 500;
    invalidate();
    await seconds(1.25);
    invalidate();
    await seconds(1);
    expect([world.asked, shown()]).toEqual([3, [1, 3]]);
  });

  it('are told of a problem once, and get answers again when there are some', async () => {
    const { world, follow } = following({ costs: false });
    const { shown } = await follow();
    world.fault = new ApiError('RATES_UNAVAILABLE', 'nobody answers');
    await seconds(75);
    expect(shown()).toEqual([1, -1, 'event: problem\ndata: {"code":"RATES_UNAVAILABLE"}']);
    world.fault = undefined;
    await seconds(2);
    expect(shown().slice(3)).toEqual([world.asked]);
  });
});
