import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createOutboxWaker } from '../../../server/features/webhooks/outbox-waker.js';

const running: { stop(): Promise<void> }[] = [];
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'Date'] });
});
afterEach(async () => {
  for (const waker of running.splice(0)) await waker.stop();
  jest.useRealTimers();
});

/** One that has started, over streams that note when they are opened and closed. */
function started() {
  const seen = { opened: 0, closed: 0, woken: 0 };
  const waker = createOutboxWaker({
    openStream: () => ({
      start: () => {
        seen.opened += 1;
      },
      stop: async () => {
        seen.closed += 1;
      },
    }),
    wake: () => {
      seen.woken += 1;
    },
    stopwatch: () => performance.now(),
  });
  running.push(waker);
  waker.start();
  return { waker, seen };
}

/** For so long, so many attempts a second. */
function attempts(waker: { attempted(): void }, perSecond: number, forMs: number): void {
  for (let passedMs = 0; passedMs < forMs; passedMs += 10) {
    for (let count = 0; count < perSecond / 100; count += 1) waker.attempted();
    jest.advanceTimersByTime(10);
  }
}

describe('the waker of the dispatcher', () => {
  it('keeps its change stream open, and polls nothing, while there is little to do', () => {
    const { waker, seen } = started();
    attempts(waker, 300, 10_000);
    expect(seen).toEqual({ opened: 1, closed: 0, woken: 0 });
  });

  it('polls in place of it while there is much to do', () => {
    const { waker, seen } = started();
    attempts(waker, 1_000, 10_000);
    expect(seen).toMatchObject({ opened: 1, closed: 1 });
    expect(seen.woken).toBeGreaterThan(390);
  });

  it('opens it again when there is little to do, and polls on until it is surely there', () => {
    const { waker, seen } = started();
    attempts(waker, 1_000, 1_000);
    attempts(waker, 100, 400);
    expect(seen).toMatchObject({ opened: 2, closed: 1 });
    const { woken } = seen;
    attempts(waker, 100, 100);
    expect(seen.woken).toBeGreaterThan(woken);
    attempts(waker, 100, 200);
    seen.woken = 0;
    attempts(waker, 100, 5_000);
    expect(seen).toEqual({ opened: 2, closed: 1, woken: 0 });
  });

  it('closes it again where the lull was short', () => {
    const { waker, seen } = started();
    attempts(waker, 1_000, 1_000);
    attempts(waker, 100, 400);
    attempts(waker, 1_000, 1_000);
    expect(seen).toMatchObject({ opened: 2, closed: 2 });
  });

  it('leaves neither stream nor timer behind when it stops', async () => {
    for (const perSecond of [100, 1_000]) {
      const { waker, seen } = started();
      attempts(waker, perSecond, 1_000);
      await waker.stop();
      expect(seen).toMatchObject({ opened: 1, closed: 1 });
      expect(jest.getTimerCount()).toBe(0);
      attempts(waker, 1_000, 1_000);
      expect(jest.getTimerCount()).toBe(0);
    }
  });
});
