import type { Intent } from '../intent.js';
import { lateFundsMs } from '../payment/payment-match.rules.js';
import {
  overdueAtMs,
  recoverableUntilMs,
  type TransitionLimits,
  waitedOutAtMs,
} from '../transition/transition.rules.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Intervals between looks, by the age of the present phase: [up to this age, interval]. The last interval has no end. */
type Pace = readonly (readonly [untilMs: number, everyMs: number])[];

const unfundedPace: Pace = [
  [hourMs, 20 * secondMs],
  [6 * hourMs, 2 * minuteMs],
  [Number.POSITIVE_INFINITY, 15 * minuteMs],
];
/** Intervals for a transaction never observed yet. They grow, so that ids that do not exist cost next to nothing. */
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
/** For anchors that cannot be polled: a look only checks the deadlines, and notices a token that was granted meanwhile. */
const unpolledEveryMs = hourMs;

/** When to check the intent again; null where no check is left. `pollable`: whether its transaction can be polled. */
export function nextLookMs(
  intent: Intent,
  nowMs: number,
  pollable: boolean,
  limits: TransitionLimits,
): number | null {
  const { outcome, poll } = intent;
  if (outcome !== null && (outcome.kind !== 'failed' || nowMs > recoverableUntilMs(outcome))) return null;
  const turningMs = turningPointMs(intent, limits);
  // Once the turning point has passed without ending the intent, only the pace counts.
  const awaitedMs = turningMs > nowMs ? turningMs : Number.POSITIVE_INFINITY;
  const isAskedFor = poll === 'unconfirmed' || poll === 'confirmed';
  if (!isAskedFor || (outcome !== null && !pollable)) return turningMs > nowMs ? turningMs : nowMs + minuteMs;
  return Math.min(awaitedMs, nowMs + (pollable ? paceMs(intent, nowMs) : unpolledEveryMs));
}

function paceMs(intent: Intent, nowMs: number): number {
  const { firstAtMs, fundedAtMs, readyAtMs } = intent.observations;
  if (intent.outcome !== null) return at(failedPace, nowMs - intent.outcome.recordedAt.getTime());
  if (readyAtMs !== null) return at(readyPace, nowMs - readyAtMs);
  // A reopened intent was not checked while it was expired, so its pace starts when it was reopened.
  const followedFromMs = Math.max(fundedAtMs ?? 0, intent.payment.takenUpAtMs ?? 0);
  if (fundedAtMs !== null) return at(fundedPace, nowMs - followedFromMs);
  const ageMs = nowMs - (intent.attachedAt?.getTime() ?? nowMs);
  if (firstAtMs === null) return unseenPaceMs(ageMs, intent.unknownPolls);
  return at(unfundedPace, ageMs);
}

/** The interval equals the age, and so grows with it; once polls were resumed (attach.ts), it doubles with each poll. */
function unseenPaceMs(ageMs: number, unknownPolls: number): number {
  const afterLooksMs = unknownPolls === 0 ? Number.POSITIVE_INFINITY : unseenMs.least * 2 ** unknownPolls;
  return Math.min(unseenMs.most, Math.max(unseenMs.least, Math.min(ageMs, afterLooksMs)));
}

/** The next moment at which the passing of time alone may end the intent. */
function turningPointMs(intent: Intent, { failureGraceMs }: TransitionLimits): number {
  const { outcome, observations: seen, attachedAt, claimedId } = intent;
  if (outcome !== null) return recoverableUntilMs(outcome) + 1;
  const endedMs = seen.notOpenSinceMs;
  if (endedMs !== null) return endedMs + failureGraceMs;
  const waitedOutMs = waitedOutAtMs(intent);
  if (waitedOutMs !== null) return waitedOutMs;
  const overdueMs = overdueAtMs(intent);
  if (overdueMs !== null) {
    return (seen.lastAtMs ?? 0) < overdueMs ? overdueMs : overdueMs + failureGraceMs;
  }
  const deadlineMs = intent.deadline.getTime();
  return attachedAt === null && claimedId === undefined ? deadlineMs : deadlineMs + lateFundsMs;
}

function at(pace: Pace, ageMs: number): number {
  return (pace.find(([untilMs]) => ageMs < untilMs) ?? pace[pace.length - 1])?.[1] ?? hourMs;
}
