import { notOpenSinceMs } from './settle-time.rules.js';
import {
  type IntentState,
  lateFundsMs,
  overdueAtMs,
  pickUpMs,
  queueOfState,
  recoverableUntilMs,
  type TransitionLimits,
} from './transition.rules.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** How often to look, by how long the present phase has lasted: [up to this age, every]. The last pace has no end. */
type Pace = readonly (readonly [untilMs: number, everyMs: number])[];

const unfundedPace: Pace = [
  [hourMs, 20 * secondMs],
  [6 * hourMs, 2 * minuteMs],
  [Number.POSITIVE_INFINITY, 15 * minuteMs],
];
/** For a transaction never observed yet: less and less often, so that ids that do not exist cost next to nothing. */
const unseenMs = { least: 20 * secondMs, most: hourMs };
const fundedPace: Pace = [
  [15 * minuteMs, 15 * secondMs],
  [2 * hourMs, minuteMs],
  [24 * hourMs, 5 * minuteMs],
  [Number.POSITIVE_INFINITY, 30 * minuteMs],
];
const readyPace: Pace = [
  [24 * hourMs, 5 * minuteMs],
  [Number.POSITIVE_INFINITY, hourMs],
];
const failedPace: Pace = [
  [24 * hourMs, 15 * minuteMs],
  [Number.POSITIVE_INFINITY, 6 * hourMs],
];
/** For anchors that cannot be polled: only the clock is watched, and a token granted meanwhile is noticed. */
const unpolledEveryMs = hourMs;

/** When to look at the intent again; null where it is done. `pollable`: whether its transaction can be polled. */
export function nextLookMs(
  state: IntentState,
  nowMs: number,
  pollable: boolean,
  limits: TransitionLimits,
): number | null {
  const { ending } = state;
  if (ending !== null && (ending.status !== 'failed' || nowMs > recoverableUntilMs(ending))) return null;
  const turningMs = turningPointMs(state, limits);
  // Once that moment has passed without an end, only the pace counts.
  const awaitedMs = turningMs > nowMs ? turningMs : Number.POSITIVE_INFINITY;
  const isAskedFor = state.attachedAtMs !== null && queueOfState(state) !== 'given_up';
  if (!isAskedFor || (ending !== null && !pollable)) return turningMs;
  return Math.min(awaitedMs, nowMs + (pollable ? paceMs(state, nowMs) : unpolledEveryMs));
}

function paceMs(state: IntentState, nowMs: number): number {
  const { firstAtMs, fundedAtMs, readyAtMs } = state.observations;
  if (state.ending !== null) return at(failedPace, nowMs - state.ending.recordedAtMs);
  if (readyAtMs !== null) return at(readyPace, nowMs - readyAtMs);
  // One that was taken up again was not looked at in between.
  const followedFromMs = Math.max(fundedAtMs ?? 0, state.payment.takenUpAtMs ?? 0);
  if (fundedAtMs !== null) return at(fundedPace, nowMs - followedFromMs);
  const ageMs = nowMs - (state.attachedAtMs ?? nowMs);
  if (firstAtMs === null) return unseenPaceMs(ageMs, state.unknownLooks);
  return at(unfundedPace, ageMs);
}

/** It doubles with the age; for an id that was taken up again (attach.ts), with the looks since. */
function unseenPaceMs(ageMs: number, unknownLooks: number): number {
  const afterLooksMs = unknownLooks === 0 ? Number.POSITIVE_INFINITY : unseenMs.least * 2 ** unknownLooks;
  return Math.min(unseenMs.most, Math.max(unseenMs.least, Math.min(ageMs, afterLooksMs)));
}

/** The next moment at which the passing of time alone may end it. */
function turningPointMs(state: IntentState, { failureGraceMs }: TransitionLimits): number {
  const { ending, observations: seen, deadlineMs, attachedAtMs } = state;
  if (ending !== null) return recoverableUntilMs(ending) + 1;
  const endedMs = notOpenSinceMs(seen);
  if (endedMs !== null) return endedMs + failureGraceMs;
  if (seen.readyAtMs !== null) return seen.readyAtMs + pickUpMs;
  const overdueMs = overdueAtMs(state);
  if (overdueMs !== null) {
    return (seen.lastAtMs ?? 0) < overdueMs ? overdueMs : overdueMs + failureGraceMs;
  }
  return attachedAtMs === null && !state.claims ? deadlineMs : deadlineMs + lateFundsMs;
}

function at(pace: Pace, ageMs: number): number {
  return (pace.find(([untilMs]) => ageMs < untilMs) ?? pace[pace.length - 1])?.[1] ?? hourMs;
}
