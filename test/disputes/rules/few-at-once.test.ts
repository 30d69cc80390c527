import { describe, expect, it } from '@jest/globals';
import { createFewAtOnce } from '../../../server/features/disputes/few-at-once.js';

let nowMs = 0;
const clock = () => nowMs;

/** Work that ends when told to, in the order it was begun. */
function heldWork() {
  const ends: (() => void)[] = [];
  return {
    begun: () => ends.length,
    work: () =>
      new Promise<string>((resolve) => {
        ends.push(() => resolve('done'));
      }),
    end: async (index: number) => {
      ends[index]?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const notReady = { code: 'NOT_READY', status: 503, extras: { retryAfter: 1 } };

describe('fewAtOnce', () => {
  it('begins no more than so many, and the next when one has ended', async () => {
    const fewAtOnce = createFewAtOnce({ atOnce: 2, maxWaiting: 10, maxWaitMs: 1_000, clock });
    const { work, begun, end } = heldWork();
    const results = [fewAtOnce(work), fewAtOnce(work), fewAtOnce(work)];
    await end(9);
    expect(begun()).toBe(2);
    await end(0);
    expect(begun()).toBe(3);
    await end(1);
    await end(2);
    expect(await Promise.all(results)).toEqual(['done', 'done', 'done']);
  });

  it('turns away what exceeds the line, and takes the next when there is room again', async () => {
    const fewAtOnce = createFewAtOnce({ atOnce: 1, maxWaiting: 1, maxWaitMs: 1_000, clock });
    const { work, end } = heldWork();
    const [first, second] = [fewAtOnce(work), fewAtOnce(work)];
    await end(9);
    await expect(fewAtOnce(work)).rejects.toMatchObject(notReady);
    await end(0);
    const third = fewAtOnce(work);
    await end(1);
    await end(2);
    expect(await Promise.all([first, second, third])).toEqual(['done', 'done', 'done']);
  });

  it('turns away, without beginning it, what has waited too long', async () => {
    const fewAtOnce = createFewAtOnce({ atOnce: 1, maxWaiting: 10, maxWaitMs: 1_000, clock });
    const { work, begun, end } = heldWork();
    const [first, second] = [fewAtOnce(work), fewAtOnce(work)];
    const refused = expect(second).rejects.toMatchObject(notReady);
    await end(9);
    nowMs += 1_001;
    await end(0);
    await refused;
    expect(await first).toBe('done');
    expect(begun()).toBe(1);
  });

  it('goes on after work that failed', async () => {
    const fewAtOnce = createFewAtOnce({ atOnce: 1, maxWaiting: 10, maxWaitMs: 1_000, clock });
    const failing = fewAtOnce(() => Promise.reject(new Error('gone')));
    const next = fewAtOnce(async () => 'next');
    await expect(failing).rejects.toThrow('gone');
    expect(await next).toBe('next');
  });
});
