import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../../server/errors.js';
import type { Question } from '../../../server/features/rates/question.rules.js';
import { createRateStreams } from '../../../server/features/rates/rate-streams.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';
import { heldStream } from '../../support/held-stream.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);
const question: Question = {
  corridor: corridorFixture(),
  asked: { amount: '250' },
  deliveryMethod: undefined,
  sort: 'best',
};

/** Readers of one question, whose answer is `n`, comes after `tookMs`, or fails. */
function following() {
  const world = { asked: 0, n: 1, tookMs: 0, fault: undefined as Error | undefined };
  const streams = createRateStreams({
    rates: {
      questionOf: () => question,
      async answer() {
        world.asked += 1;
        const { n, tookMs, fault } = world;
        if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
        if (fault !== undefined) throw fault;
        return { answer: { n } as unknown as RatesAnswer, freshForMs: 15_000 };
      },
    },
    problemOf: (error) => ({ code: (error as ApiError).code }),
  });
  const follow = async () => {
    const feed = await streams.prepare('usdc-brl', {}, async () => undefined);
    const stream = heldStream('a');
    feed(stream);
    await seconds(0);
    const shown = () =>
      stream.events.map((text) => Number(/"n":(-?\d+)/.exec(text)?.[1] ?? Number.NaN) || text.trim());
    return { stream, shown };
  };
  return { world, follow };
}

describe('the readers of one question', () => {
  it('share one answer a second, and each gets every change once', async () => {
    const { world, follow } = following();
    const readers = await Promise.all(Array.from({ length: 200 }, follow));
    const opened = world.asked;
    for (const n of [2, 3]) {
      world.n = n;
      await seconds(3);
    }
    expect(world.asked - opened).toBe(6);
    for (const { shown } of readers) expect(shown()).toEqual([1, 2, 3]);
  });

  it('cost nothing when there are none', async () => {
    const { world, follow } = following();
    (await follow()).stream.close();
    const { asked } = world;
    await seconds(600);
    expect([world.asked, jest.getTimerCount()]).toEqual([asked, 0]);
  });

  it('are not asked for again while the anchors take longer than a second', async () => {
    const { world, follow } = following();
    const { shown } = await follow();
    const { asked } = world;
    Object.assign(world, { tookMs: 4_000, n: 2 });
    await seconds(4);
    expect([world.asked - asked, shown()]).toEqual([1, [1]]);
    await seconds(1);
    expect(shown()).toEqual([1, 2]);
  });

  it('are told of a problem once, and get answers again when there are some', async () => {
    const { world, follow } = following();
    const { shown } = await follow();
    world.fault = new ApiError('RATES_UNAVAILABLE', 'nobody answers');
    await seconds(30);
    expect(shown()).toEqual([1, 'event: problem\ndata: {"code":"RATES_UNAVAILABLE"}']);
    world.fault = undefined;
    await seconds(1);
    expect(shown().at(-1)).toBe(1);
  });
});
