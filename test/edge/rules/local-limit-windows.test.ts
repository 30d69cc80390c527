import { expect, it } from '@jest/globals';
import { createLocalCounter } from '../../../server/limits/local-limit-windows.js';

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
const second = 1_000;
const windowMs = rule.windowSeconds * second;

function counted(times: number) {
  let nowMs = Date.UTC(2026, 10, 21);
  const counter = createLocalCounter(() => nowMs);
  for (let n = 0; n < times; n += 1) counter.consume(rule, 'client');
  return {
    /** What the store answers after this time, in a window that begins then. */
    stored(afterMs: number, used: number) {
      nowMs += afterMs;
      return counter.agree(rule, 'client', used, nowMs + windowMs);
    },
  };
}

it('what was counted here while the store was slow still counts in the window that the store begins later', () => {
  expect(counted(50).stored(5 * second, 1).remaining).toBe(39);
});

it('the next window of the store begins with its own count', () => {
  expect(counted(50).stored(windowMs, 1).remaining).toBe(89);
});

it('the next window of the store may begin a little before the one counted here has ended', () => {
  expect(counted(50).stored(windowMs - 300, 1).remaining).toBe(89);
});
