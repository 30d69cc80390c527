/** The budget of calls and the circuit breaker of a ledger source: whether it may be called now. Times in epoch ms. */
export interface GateState {
  /** When the calls of the last second were made. */
  calls: readonly number[];
  /** Failures in a row. */
  failures: number;
  /** Until when the circuit breaker is open; null while it is closed. */
  openUntilMs: number | null;
}

export const freshGate: GateState = { calls: [], failures: 0, openUntilMs: null };

const windowMs = 1_000;
const openAfterFailures = 5;
const firstOpenMs = 10_000;
const longestOpenMs = 120_000;

/**
 * `go`: the call may be made, and is counted. `wait`: the budget of this second is used up. `open`: the source failed too
 * often lately. Once the pause is over, calls go through again, and the next failure opens the breaker again, for longer.
 */
export function admitCall(
  state: GateState,
  nowMs: number,
  callsPerSecond: number,
): { admits: 'go' | 'wait' | 'open'; state: GateState } {
  if (isOpen(state, nowMs)) return { admits: 'open', state };
  const calls = state.calls.filter((atMs) => Math.abs(nowMs - atMs) < windowMs);
  if (calls.length >= callsPerSecond) return { admits: 'wait', state: { ...state, calls } };
  return { admits: 'go', state: { ...state, calls: [...calls, nowMs] } };
}

function isOpen({ openUntilMs }: GateState, nowMs: number): boolean {
  // A time further ahead than the longest pause was stored before the clock was set back, and is ignored.
  const aheadMs = (openUntilMs ?? 0) - nowMs;
  return aheadMs > 0 && aheadMs <= longestOpenMs;
}

export function afterAnswer(state: GateState): GateState {
  return { ...state, failures: 0, openUntilMs: null };
}

export function afterNoAnswer(state: GateState, nowMs: number): GateState {
  // Calls that began before the breaker opened fail with the same outage, which is counted once.
  if (isOpen(state, nowMs)) return state;
  const failures = state.failures + 1;
  if (failures < openAfterFailures) return { ...state, failures };
  const openMs = Math.min(longestOpenMs, firstOpenMs * 2 ** Math.min(failures - openAfterFailures, 10));
  return { ...state, failures, openUntilMs: nowMs + openMs };
}
