// Written by hand because cockatiel's breaker reads the system clock, makes all callers wait for the trial call, and closes
// after a trial that says nothing about the anchor's health (such as a 429), where this one keeps its state.

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
/** A trial call without a result counts as running for this long. */
const trialMs = 5_000;
/** After an answer at the reference amount, failures at other amounts do not count for this long. */
const referenceTrustMs = 30_000;

/** Whether `atMs` is less than `ms` ago. A time more than `ms` ahead was recorded before the clock was set back: false. */
function isWithin(ms: number, atMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < ms;
}

/** Whether `untilMs` is still to come, and no further ahead than `longestMs`, the most that it can have been set to. */
function isAhead(longestMs: number, untilMs: number, nowMs: number): boolean {
  return nowMs < untilMs && untilMs - nowMs <= longestMs;
}

/** Whether a call may be made now, and the state after it. An open breaker lets one trial through after its pause. */
export function admit(state: BreakerState, nowMs: number): { admitted: boolean; state: BreakerState } {
  if (state.openUntil === null) return { admitted: true, state };
  const trialRuns = state.trialSince !== null && isWithin(trialMs, state.trialSince, nowMs);
  if (isAhead(longestOpenMs, state.openUntil, nowMs) || trialRuns) return { admitted: false, state };
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
  const knownWell = state.referenceOkAt !== null && isWithin(referenceTrustMs, state.referenceOkAt, nowMs);
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

// Written by hand because rate-limiter-flexible counts in fixed windows, which allow twice the limit around a boundary.

/**
 * What a call is for: `reference` keeps the reference amounts of the corridors quoted, `intent` quotes for an intent that
 * is being registered, `known` refreshes an amount that was quoted lately, `new` is any other amount.
 */
export type Priority = 'reference' | 'intent' | 'known' | 'new';

/**
 * A fifth of the budget is reserved for intents: no stream of other questions can use it up. The other calls share the
 * rest, each kind up to a smaller limit than the one before it, so that a stream of random amounts leaves calls for those.
 */
const intentsShare = 0.2;
const commonShareOf: Readonly<Record<Exclude<Priority, 'intent'>, number>> = {
  reference: 0.8,
  known: 0.6,
  new: 0.5,
};
const windowMs = 1_000;
const longestPauseMs = 60_000;

/** The part of the budget that a call is taken from. */
export type BudgetPart = 'common' | 'intents';

interface PartUse {
  /** Start times within the last second, oldest first. */
  starts: readonly number[];
  inFlight: number;
}

/** The recent calls of one anchor, and those in flight. */
export interface BudgetState extends Readonly<Record<BudgetPart, PartUse>> {
  /** The anchor asked for a pause (429): until then only reference amounts and the intents' part are requested. */
  pausedUntil: number;
}

const unused: PartUse = { starts: [], inFlight: 0 };
export const freshBudget: BudgetState = { common: unused, intents: unused, pausedUntil: 0 };

export interface BudgetLimits {
  /** The most calls within any one second. */
  callsPerSecond: number;
  inFlight: number;
}

/** Takes one call from the budget, if there is one left for this priority; `from` is the part that it was taken from. */
export function takeCall(
  state: BudgetState,
  priority: Priority,
  limits: BudgetLimits,
  nowMs: number,
): { from: BudgetPart | undefined; state: BudgetState } {
  const common = priority === 'intent' ? commonShareOf.new : commonShareOf[priority];
  const paused = priority !== 'reference' && isAhead(longestPauseMs, state.pausedUntil, nowMs);
  if (!paused && hasRoom(state.common, common, limits, nowMs)) return taken(state, 'common', nowMs);
  const own = priority === 'intent' && hasRoom(state.intents, intentsShare, limits, nowMs);
  return own ? taken(state, 'intents', nowMs) : { from: undefined, state };
}

function hasRoom({ starts, inFlight }: PartUse, share: number, limits: BudgetLimits, nowMs: number): boolean {
  const recent = starts.filter((start) => isWithin(windowMs, start, nowMs)).length;
  return recent < Math.floor(limits.callsPerSecond * share) && inFlight < Math.floor(limits.inFlight * share);
}

function taken(
  state: BudgetState,
  from: BudgetPart,
  nowMs: number,
): { from: BudgetPart; state: BudgetState } {
  const { starts, inFlight } = state[from];
  const recent = starts.filter((start) => isWithin(windowMs, start, nowMs));
  return { from, state: { ...state, [from]: { starts: [...recent, nowMs], inFlight: inFlight + 1 } } };
}

export function callEnded(state: BudgetState, from: BudgetPart): BudgetState {
  const { starts, inFlight } = state[from];
  return { ...state, [from]: { starts, inFlight: Math.max(0, inFlight - 1) } };
}

/** The anchor answered 429; `retryAfter` is its header, whole seconds, if it gave one. */
export function pauseCalls(state: BudgetState, retryAfter: string | undefined, nowMs: number): BudgetState {
  const seconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : 5;
  const pauseMs = Math.min(longestPauseMs, Math.max(1, seconds) * 1_000);
  const before = isAhead(longestPauseMs, state.pausedUntil, nowMs) ? state.pausedUntil : 0;
  return { ...state, pausedUntil: Math.max(before, nowMs + pauseMs) };
}

/** An intent that waits for its quote. */
export interface Waiting {
  client: string;
}

/** A quote that an intent of this client got. */
export interface IntentTurn {
  client: string;
  at: number;
}

const turnsCountMs = 60_000;

export function recentTurns(turns: readonly IntentTurn[], nowMs: number): IntentTurn[] {
  return turns.filter(({ at }) => isWithin(turnsCountMs, at, nowMs));
}

/**
 * The waiting intents in the order in which they are served: clients with the fewest quotes in the last minute come first,
 * where each earlier waiting intent of the same client counts as one more quote; equals are served in order of arrival. A
 * client that registers a stream of intents thus waits behind the first intent of every other client.
 */
export function inTurnOrder<T extends Waiting>(waiting: readonly T[], turns: readonly IntentTurn[]): T[] {
  const used = new Map<string, number>();
  for (const { client } of turns) used.set(client, (used.get(client) ?? 0) + 1);
  const ranked = waiting.map((each) => {
    const before = used.get(each.client) ?? 0;
    used.set(each.client, before + 1);
    return { each, before };
  });
  // The sort is stable: `waiting` is in the order of arrival.
  return ranked.sort((a, b) => a.before - b.before).map(({ each }) => each);
}
