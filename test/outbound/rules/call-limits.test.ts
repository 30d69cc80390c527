import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBreaker, createCallBudget } from '../../../server/outbound/call-limits.js';
import { pauseOf } from '../../../server/outbound/upstream-fault.js';

let now = 0;
beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a breaker', () => {
  async function open(failures: number) {
    let calls = 0;
    let answer = 'failed';
    const breaker = createBreaker<string>((result) => result === 'failed');
    const run = () =>
      breaker.run(async () => {
        calls += 1;
        return answer;
      });
    const answerWith = (next: string) => {
      answer = next;
    };
    for (let n = 0; n < failures; n += 1) expect(await run()).toBe('failed');
    return { run, calls: () => calls, answerWith };
  }

  it('makes no call after five failures in a row, and one after 10 s, whose success closes it', async () => {
    const { run, calls, answerWith } = await open(5);
    now += 9_999;
    expect(await run()).toBe('open');
    now += 1;
    answerWith('well');
    expect([await run(), await run(), calls()]).toEqual(['well', 'well', 7]);
  });

  it('stays open for twice as long after each failure of the one call, and two minutes at most', async () => {
    const { run } = await open(5);
    for (const openSeconds of [10, 20, 40, 80, 120, 120]) {
      now += openSeconds * 1_000 - 1;
      expect(await run()).toBe('open');
      now += 1;
      expect(await run()).toBe('failed');
    }
  });

  it('does not count failures that a success interrupts, or errors of our own', async () => {
    const { run, answerWith } = await open(4);
    answerWith('well');
    await run();
    answerWith('failed');
    for (let n = 0; n < 4; n += 1) expect(await run()).toBe('failed');
    const breaker = createBreaker<string>(() => true);
    const fault = async () => {
      throw new TypeError('ours');
    };
    for (let n = 0; n < 6; n += 1) await expect(breaker.run(fault)).rejects.toThrow('ours');
  });
});

describe('a budget of calls', () => {
  it('is never exceeded within any one second', () => {
    const budget = createCallBudget(() => now);
    const taken: number[] = [];
    for (let step = 0; step < 400; step += 1) {
      now += 13;
      if (budget.take(20)) taken.push(now);
    }
    for (const start of taken) {
      expect(taken.filter((at) => at >= start && at < start + 1_000).length).toBeLessThanOrEqual(20);
    }
    expect(taken.length).toBeGreaterThan(90);
  });

  it.each([
    [999, false],
    [1_000, true],
    [-3_600_000, true],
  ])('that was used up is there again when the clock has moved by %i ms: %s', (byMs, isThere) => {
    const budget = createCallBudget(() => now);
    expect([budget.take(1), budget.take(1)]).toEqual([true, false]);
    now += byMs;
    expect(budget.take(1)).toBe(isThere);
  });
});

describe('the pause that a Retry-After asks for', () => {
  const at = Date.parse('Sat, 21 Nov 2026 09:30:00 GMT');

  it.each([
    ['30', 30_000],
    [' 7 ', 7_000],
    ['0', 1_000],
    ['86400', 60_000],
    ['Sat, 21 Nov 2026 09:30:20 GMT', 20_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 1_000],
    ['Sun, 22 Nov 2026 09:30:00 GMT', 60_000],
    ['soon', 5_000],
    ['-5', 5_000],
    ['', 5_000],
    [undefined, 5_000],
  ])('%j is %i ms', (header, pauseMs) => {
    expect(pauseOf(header, at)).toBe(pauseMs);
  });
});
