import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  admit,
  afterFailure,
  afterNothing,
  afterSuccess,
  type BreakerState,
  callEnded,
  closedBreaker,
  freshBudget,
  type Priority,
  pauseCalls,
  takeCall,
} from '../../../server/features/rates/anchor-gate.rules.js';

const limits = { callsPerSecond: 20, inFlight: 20 };

function failing(
  times: number,
  nowMs: number,
  reference = true,
  from: BreakerState = closedBreaker,
): BreakerState {
  let state = from;
  for (let i = 0; i < times; i += 1) state = afterFailure(state, { reference, nowMs });
  return state;
}

describe('the circuit breaker', () => {
  it('opens after five failures in a row, and a success resets the count', () => {
    expect(admit(failing(4, 0), 0).admitted).toBe(true);
    expect(admit(failing(5, 0), 0).admitted).toBe(false);
    const interrupted = failing(4, 0, true, afterSuccess(failing(4, 0), { reference: true, nowMs: 0 }));
    expect(admit(interrupted, 0).admitted).toBe(true);
  });

  it('lets one trial call through after its pause, and no other until that one ends', () => {
    const open = failing(5, 0);
    expect(admit(open, 9_999).admitted).toBe(false);
    const trial = admit(open, 10_000);
    expect(trial.admitted).toBe(true);
    expect(admit(trial.state, 10_001).admitted).toBe(false);
    expect(admit(afterSuccess(trial.state, { reference: false, nowMs: 10_002 }), 10_002).admitted).toBe(true);
    expect(admit(afterNothing(trial.state), 10_002).admitted).toBe(true);
    expect(admit(trial.state, 15_000).admitted).toBe(true);
  });

  it('doubles its pause after each failed trial, up to two minutes', () => {
    let state = failing(5, 0);
    const lengths: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const until = state.openUntil ?? 0;
      state = afterFailure(admit(state, until).state, { reference: true, nowMs: until });
      lengths.push((state.openUntil ?? 0) - until);
    }
    expect(lengths).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000]);
  });

  it('does not open on failures at other amounts while reference amounts are answered', () => {
    const well = afterSuccess(closedBreaker, { reference: true, nowMs: 0 });
    expect(admit(failing(100, 29_999, false, well), 29_999).admitted).toBe(true);
    expect(admit(failing(5, 29_999, true, well), 29_999).admitted).toBe(false);
    expect(admit(failing(5, 30_000, false, well), 30_000).admitted).toBe(false);
  });
});

describe('the call budget', () => {
  it('is never exceeded in any second, whatever calls arrive', () => {
    const step = fc.record({
      priority: fc.constantFrom<Priority>('reference', 'known', 'new'),
      waitMs: fc.integer({ min: 0, max: 120 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let state = freshBudget;
        let nowMs = 0;
        const taken: number[] = [];
        for (const { priority, waitMs } of steps) {
          nowMs += waitMs;
          const result = takeCall(state, priority, limits, nowMs);
          state = result.state;
          if (!result.taken) continue;
          taken.push(nowMs);
          state = callEnded(state);
        }
        for (const start of taken) {
          expect(taken.filter((each) => each >= start && each < start + 1_000).length).toBeLessThanOrEqual(
            20,
          );
        }
        expect(state.starts.length).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('always has room for reference amounts, however many new amounts are requested', () => {
    let state = freshBudget;
    let taken = 0;
    for (let i = 0; i < 1_000; i += 1) {
      const result = takeCall(state, 'new', limits, i);
      state = callEnded(result.state);
      if (result.taken) taken += 1;
    }
    expect(taken).toBe(12);
    expect(takeCall(state, 'known', limits, 999).taken).toBe(true);
    expect(takeCall(state, 'reference', limits, 999).taken).toBe(true);
  });

  it('bounds the concurrent calls, and reserves room for reference amounts', () => {
    let state = freshBudget;
    let taken = 0;
    for (let i = 0; i < 100; i += 1) {
      const result = takeCall(state, 'new', { callsPerSecond: 1_000, inFlight: 20 }, i * 10);
      state = result.state;
      if (result.taken) taken += 1;
    }
    expect(taken).toBe(12);
    expect(takeCall(state, 'reference', limits, 5_000).taken).toBe(true);
  });

  it.each([
    ['3', 3_000],
    [undefined, 5_000],
    ['0', 1_000],
    ['-5', 5_000],
    ['999999999', 5_000],
    ['86400', 60_000],
    ['Fri, 21 Nov 2036 07:28:00 GMT', 5_000],
  ])('pauses all but reference amounts after a 429 with Retry-After %s', (retryAfter, pauseMs) => {
    const state = pauseCalls(freshBudget, retryAfter, 0);
    expect(takeCall(state, 'new', limits, pauseMs - 1).taken).toBe(false);
    expect(takeCall(state, 'known', limits, pauseMs - 1).taken).toBe(false);
    expect(takeCall(state, 'reference', limits, 0).taken).toBe(true);
    expect(takeCall(state, 'new', limits, pauseMs).taken).toBe(true);
  });
});
