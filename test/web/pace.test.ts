import { describe, expect, it } from '@jest/globals';
import { newerOf, paceMs } from '../../web/src/data/pace.js';

const now = 1_000_000;

describe('pace of reads', () => {
  it('does not wait while more than a third of the limit is left', () => {
    expect(paceMs({ limit: 60, remaining: 21, resetAt: now + 30_000 }, now)).toBe(0);
  });

  it('spreads what is left over the rest of the window', () => {
    expect(paceMs({ limit: 60, remaining: 20, resetAt: now + 21_000 }, now)).toBe(1_000);
  });

  it('never waits longer than ten seconds, which a call has time for', () => {
    expect(paceMs({ limit: 60, remaining: 1, resetAt: now + 60_000 }, now)).toBe(10_000);
  });

  it('does not wait once the window is over', () => {
    expect(paceMs({ limit: 60, remaining: 1, resetAt: now }, now)).toBe(0);
  });

  it('waits for the end of the window where nothing is left and the end is near', () => {
    expect(paceMs({ limit: 60, remaining: 0, resetAt: now + 4_000 }, now)).toBe(4_000);
  });

  it('leaves it to the service to say when to come back where nothing is left for longer', () => {
    expect(paceMs({ limit: 60, remaining: 0, resetAt: now + 60_000 }, now)).toBe(0);
  });
});

describe('what is left of a limit', () => {
  const known = { limit: 60, remaining: 10, resetAt: now };

  it('is less where an answer says so, and no more where a slower or a cached answer says so', () => {
    expect(newerOf(known, { ...known, remaining: 9 }).remaining).toBe(9);
    expect(newerOf(known, { ...known, remaining: 40 })).toBe(known);
  });

  it('is what the newer window leaves', () => {
    const later = { limit: 60, remaining: 59, resetAt: now + 60_000 };
    expect(newerOf(undefined, known)).toBe(known);
    expect(newerOf(known, later)).toBe(later);
    expect(newerOf(later, known)).toBe(later);
  });
});
