/** Where the breaker of one anchor stands. Times in epoch milliseconds. */
export interface BreakerState {
  /** Failures in a row. */
  failures: number;
  /** How often in a row it opened; sets how long. */
  openings: number;
  /** Null while closed. */
  openUntil: number | null;
  /** While open: when the one trial call was let through, or null. */
  trialSince: number | null;
  /** The last success at a reference amount. */
  referenceOkAt: number | null;
}

export const closedBreaker: BreakerState = {
  failures: 0,
  openings: 0,
  openUntil: null,
  trialSince: null,
  referenceOkAt: null,
};

const openAfterFailures = 5;
const firstOpenMs = 10_000;
const longestOpenMs = 120_000;
/** A trial that never reported back stops counting after this. */
const trialMs = 5_000;
/** While reference amounts were answered this lately, failures at other amounts do not count. */
const referenceTrustMs = 30_000;

/** Whether a call may be made now, and the state after it. Open, it lets one trial through once its time is up. */
export function admit(state: BreakerState, nowMs: number): { admitted: boolean; state: BreakerState } {
  if (state.openUntil === null) return { admitted: true, state };
  const trialRuns = state.trialSince !== null && nowMs - state.trialSince < trialMs;
  if (nowMs < state.openUntil || trialRuns) return { admitted: false, state };
  return { admitted: true, state: { ...state, trialSince: nowMs } };
}

/** The anchor answered sensibly, be it with a refusal of the amount. */
export function afterSuccess(state: BreakerState, call: { reference: boolean; nowMs: number }): BreakerState {
  return { ...closedBreaker, referenceOkAt: call.reference ? call.nowMs : state.referenceOkAt };
}

/**
 * The anchor failed or answered nonsense. At other than the reference amount that counts only while nothing shows
 * the anchor to be well: nobody takes it off the board by asking for amounts that it stumbles over.
 */
export function afterFailure(state: BreakerState, call: { reference: boolean; nowMs: number }): BreakerState {
  const { nowMs } = call;
  const knownWell = state.referenceOkAt !== null && nowMs - state.referenceOkAt < referenceTrustMs;
  if (state.openUntil === null && !call.reference && knownWell) return state;
  const failures = state.failures + 1;
  const opens = state.trialSince !== null || (state.openUntil === null && failures >= openAfterFailures);
  if (!opens) return { ...state, failures };
  const openMs = Math.min(longestOpenMs, firstOpenMs * 2 ** Math.min(state.openings, 10));
  return { ...state, failures, openings: state.openings + 1, openUntil: nowMs + openMs, trialSince: null };
}

/** The call said nothing about the anchor's health: a trial is given back. */
export function afterNothing(state: BreakerState): BreakerState {
  return { ...state, trialSince: null };
}
