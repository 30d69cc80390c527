import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  admit,
  afterFailure,
  afterNothing,
  afterSuccess,
  type BreakerState,
  type BudgetState,
  callEnded,
  closedBreaker,
  freshBudget,
  inTurnOrder,
  type Priority,
  pauseCalls,
  recentTurns,
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

/** Makes calls of one kind that each end at once; returns how many were let through. */
function takeMany(from: BudgetState, priority: Priority, count: number, stepMs: number, startMs = 0) {
  let state = from;
  let taken = 0;
  for (let i = 0; i < count; i += 1) {
    const result = takeCall(state, priority, limits, startMs + i * stepMs);
    state = result.from === undefined ? result.state : callEnded(result.state, result.from);
    if (result.from !== undefined) taken += 1;
  }
  return { taken, state };
}

const isTaken = (state: BudgetState, priority: Priority, nowMs: number) =>
  takeCall(state, priority, limits, nowMs).from !== undefined;

describe('the call budget', () => {
  it('is never exceeded in any second, whatever calls arrive', () => {
    const step = fc.record({
      priority: fc.constantFrom<Priority>('reference', 'intent', 'known', 'new'),
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
          if (result.from === undefined) continue;
          taken.push(nowMs);
          state = callEnded(state, result.from);
        }
        for (const start of taken) {
          expect(taken.filter((each) => each >= start && each < start + 1_000).length).toBeLessThanOrEqual(
            20,
          );
        }
        expect(state.common.starts.length + state.intents.starts.length).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('always has room for intents, known and reference amounts, however many new amounts are requested', () => {
    const { taken, state } = takeMany(freshBudget, 'new', 1_000, 1);
    expect(taken).toBe(10);
    for (const priority of ['intent', 'known', 'reference'] as const)
      expect(isTaken(state, priority, 999)).toBe(true);
  });

  it('has four calls a second for intents after any mixture of other calls', () => {
    const others = fc.array(fc.constantFrom<Priority>('reference', 'known', 'new'), { maxLength: 100 });
    fc.assert(
      fc.property(others, (priorities) => {
        let state = freshBudget;
        for (const priority of priorities) state = takeCall(state, priority, limits, 0).state;
        expect(takeMany(state, 'intent', 20, 0).taken).toBeGreaterThanOrEqual(4);
      }),
    );
  });

  it('has room for reference amounts and known ones, however many intents ask', () => {
    const { taken, state } = takeMany(freshBudget, 'intent', 1_000, 1);
    expect(taken).toBe(14);
    expect(takeMany(state, 'known', 10, 0, 999).taken).toBe(2);
    expect(takeMany(state, 'reference', 10, 0, 999).taken).toBe(6);
  });

  it('bounds the concurrent calls, and reserves room for reference amounts and intents', () => {
    let state = freshBudget;
    let taken = 0;
    for (let i = 0; i < 100; i += 1) {
      const result = takeCall(state, 'new', { callsPerSecond: 1_000, inFlight: 20 }, i * 10);
      state = result.state;
      if (result.from !== undefined) taken += 1;
    }
    expect(taken).toBe(10);
    expect(isTaken(state, 'reference', 5_000)).toBe(true);
    expect(isTaken(state, 'intent', 5_000)).toBe(true);
  });

  it.each([
    ['3', 3_000],
    [undefined, 5_000],
    ['0', 1_000],
    ['-5', 5_000],
    ['999999999', 5_000],
    ['86400', 60_000],
    ['Fri, 21 Nov 2036 07:28:00 GMT', 5_000],
  ])(
    'pauses all but reference amounts and the part of intents after a 429 with Retry-After %s',
    (retryAfter, pauseMs) => {
      const state = pauseCalls(freshBudget, retryAfter, 0);
      expect(isTaken(state, 'new', pauseMs - 1)).toBe(false);
      expect(isTaken(state, 'known', pauseMs - 1)).toBe(false);
      expect(isTaken(state, 'reference', 0)).toBe(true);
      expect(takeMany(state, 'intent', 20, 1).taken).toBe(4);
      expect(isTaken(state, 'new', pauseMs)).toBe(true);
    },
  );
});

describe('the turns of intents', () => {
  const clientsOf = (waiting: readonly { client: string }[]) => waiting.map(({ client }) => client).join('');
  const waiting = (clients: string) => [...clients].map((client) => ({ client }));

  it("come to each client's first intent before anyone's second, in the order of arrival", () => {
    expect(clientsOf(inTurnOrder(waiting('aaaabab'), []))).toBe('ababaaa');
  });

  it('come last to the client that got the most quotes in the last minute', () => {
    const turns = [
      { client: 'a', at: 0 },
      { client: 'a', at: 50_000 },
      { client: 'b', at: 55_000 },
    ];
    expect(clientsOf(inTurnOrder(waiting('abc'), turns))).toBe('cba');
    expect(clientsOf(inTurnOrder(waiting('abc'), recentTurns(turns, 110_000)))).toBe('acb');
  });
});

describe('a clock that is set back by an hour', () => {
  const before = 3_600_000;

  it('does not keep a circuit open, or a trial running, for an hour', () => {
    const open = failing(5, before);
    expect(admit(open, before).admitted).toBe(false);
    expect(admit(open, 0).admitted).toBe(true);
    const trial = admit(open, before + 10_000).state;
    expect(admit(trial, 0).admitted).toBe(true);
  });

  it('does not let the calls of before use up the budget, or a pause of before last', () => {
    let state: BudgetState = freshBudget;
    for (let calls = 0; calls < 20; calls += 1) {
      const taken = takeCall(state, 'reference', limits, before);
      state = taken.from === undefined ? taken.state : callEnded(taken.state, taken.from);
    }
    expect(takeCall(state, 'reference', limits, before).from).toBeUndefined();
    expect(takeCall(state, 'new', limits, 0).from).toBe('common');
    const paused = pauseCalls(freshBudget, '30', before);
    expect(takeCall(paused, 'new', limits, before).from).toBeUndefined();
    expect(takeCall(paused, 'new', limits, 0).from).toBe('common');
    expect(takeCall(pauseCalls(paused, '30', 0), 'new', limits, 29_999).from).toBeUndefined();
  });
});
