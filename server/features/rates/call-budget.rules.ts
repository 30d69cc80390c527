/**
 * What a call is for, the most important first: `reference` keeps the corridors' reference amounts on the board,
 * `known` refreshes an amount that was quoted lately, `new` is any other amount. Each may use a share of the budget
 * only, so that a stream of random amounts leaves room for the others.
 */
export type Lane = 'reference' | 'known' | 'new';

const shareOf: Readonly<Record<Lane, number>> = { reference: 1, known: 0.8, new: 0.6 };
const windowMs = 1_000;

/** The calls of one anchor lately, and those in flight. */
export interface BudgetState {
  /** Start times within the last second, oldest first. */
  starts: readonly number[];
  inFlight: number;
  /** The anchor itself asked for a pause (429): until then only reference amounts are asked for. */
  pausedUntil: number;
}

export const freshBudget: BudgetState = { starts: [], inFlight: 0, pausedUntil: 0 };

export interface BudgetLimits {
  /** In any one second. */
  callsPerSecond: number;
  inFlight: number;
}

/** Takes one call out of the budget, or says that there is none left for this lane. */
export function takeCall(
  state: BudgetState,
  lane: Lane,
  limits: BudgetLimits,
  nowMs: number,
): { taken: boolean; state: BudgetState } {
  const starts = state.starts.filter((start) => nowMs - start < windowMs);
  const share = shareOf[lane];
  const room =
    starts.length < Math.floor(limits.callsPerSecond * share) &&
    state.inFlight < Math.floor(limits.inFlight * share) &&
    (lane === 'reference' || nowMs >= state.pausedUntil);
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
