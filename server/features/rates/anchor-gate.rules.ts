// By hand: cockatiel's breaker reads the machine's clock, lets everyone wait for the trial call, and closes after a trial
// that says nothing about the anchor's health (a 429, for one), where ours stays as it was.

/** The state of one anchor's circuit breaker. Times in epoch milliseconds. */
export interface BreakerState {
  /** Failures in a row. */
  failures: number;
  /** How many times in a row it has opened; this determines how long it stays open next. */
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
/** A trial that never reports back counts for this long. */
const trialMs = 5_000;
/** After an answer at the reference amount, failures at other amounts do not count for this long. */
const referenceTrustMs = 30_000;

/** Whether a call may be made now, and the state after it. An open breaker lets one trial through after its pause. */
export function admit(state: BreakerState, nowMs: number): { admitted: boolean; state: BreakerState } {
  if (state.openUntil === null) return { admitted: true, state };
  const trialRuns = state.trialSince !== null && nowMs - state.trialSince < trialMs;
  if (nowMs < state.openUntil || trialRuns) return { admitted: false, state };
  return { admitted: true, state: { ...state, trialSince: nowMs } };
}

/** The anchor gave a valid answer, which may be a refusal of the amount. */
export function afterSuccess(state: BreakerState, call: { reference: boolean; nowMs: number }): BreakerState {
  return { ...closedBreaker, referenceOkAt: call.reference ? call.nowMs : state.referenceOkAt };
}

/**
 * The anchor failed or its answer was malformed. At amounts other than the reference amount, that counts only while no
 * answer at the reference amount is recent: nobody can stop an anchor from being quoted by asking for amounts at which
 * it fails.
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

/** The call said nothing about the anchor's health: the next call may be the trial. */
export function afterNothing(state: BreakerState): BreakerState {
  return { ...state, trialSince: null };
}

// By hand: rate-limiter-flexible counts fixed windows, which let twice the limit through across their border.

/**
 * What a call is for, the most important first: `reference` keeps the reference amounts of the corridors quoted,
 * `known` refreshes an amount that was quoted lately, `new` is any other amount. Each may use only a share of the
 * budget, so that a stream of random amounts leaves room for the others.
 */
export type Priority = 'reference' | 'known' | 'new';

const shareOf: Readonly<Record<Priority, number>> = { reference: 1, known: 0.8, new: 0.6 };
const windowMs = 1_000;

/** The recent calls of one anchor, and those in flight. */
export interface BudgetState {
  /** Start times within the last second, oldest first. */
  starts: readonly number[];
  inFlight: number;
  /** The anchor asked for a pause (429): until then only reference amounts are requested. */
  pausedUntil: number;
}

export const freshBudget: BudgetState = { starts: [], inFlight: 0, pausedUntil: 0 };

export interface BudgetLimits {
  /** In any one second. */
  callsPerSecond: number;
  inFlight: number;
}

/** Takes one call from the budget, if there is one left for this priority. */
export function takeCall(
  state: BudgetState,
  priority: Priority,
  limits: BudgetLimits,
  nowMs: number,
): { taken: boolean; state: BudgetState } {
  const starts = state.starts.filter((start) => nowMs - start < windowMs);
  const share = shareOf[priority];
  const room =
    starts.length < Math.floor(limits.callsPerSecond * share) &&
    state.inFlight < Math.floor(limits.inFlight * share) &&
    (priority === 'reference' || nowMs >= state.pausedUntil);
  if (!room) return { taken: false, state: { ...state, starts } };
  return { taken: true, state: { ...state, starts: [...starts, nowMs], inFlight: state.inFlight + 1 } };
}

export function callEnded(state: BudgetState): BudgetState {
  return { ...state, inFlight: Math.max(0, state.inFlight - 1) };
}

const longestPauseMs = 60_000;

/** The anchor answered 429; `retryAfter` is its header, whole seconds, if it gave one. */
export function pauseCalls(state: BudgetState, retryAfter: string | undefined, nowMs: number): BudgetState {
  const seconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : 5;
  const pauseMs = Math.min(longestPauseMs, Math.max(1, seconds) * 1_000);
  return { ...state, pausedUntil: Math.max(state.pausedUntil, nowMs + pauseMs) };
}
