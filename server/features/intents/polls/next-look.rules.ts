import type { Intent } from '../intent.js';
import { lateFundsMs } from '../payment/payment-match.rules.js';
import { nextLookUpMs } from '../payment/payment-state.rules.js';
import {
  failureGraceMs,
  overdueAtMs,
  recoverableUntilMs,
  waitedOutAtMs,
} from '../transition/transition.rules.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * The interval between looks grows with the age of the present phase: it is this part of it, within these bounds. Ids that
 * do not exist cost next to nothing.
 */
type Pace = readonly [part: number, leastMs: number, mostMs: number];
const unseenPace: Pace = [1, 20 * secondMs, hourMs];
const unfundedPace: Pace = [1 / 180, 20 * secondMs, 15 * minuteMs];
const fundedPace: Pace = [1 / 120, 15 * secondMs, 30 * minuteMs];
const readyPace: Pace = [1 / 24, 5 * minuteMs, hourMs];
const failedPace: Pace = [1 / 96, 15 * minuteMs, 6 * hourMs];
/** For anchors that cannot be polled: a look only checks the deadlines, and notices a token that was granted meanwhile. */
const unpolledEveryMs = hourMs;

/**
 * When to look at the intent again, to look its payment up, and to remove it. `polledAtMs`: when the look was made, where
 * there was one.
 */
export function timesAfter(
  before: Intent,
  next: Intent,
  { pollable = true, polledAtMs }: { pollable?: boolean; polledAtMs?: number },
  nowMs: number,
  { ledger }: { ledger: boolean },
): Pick<Intent, 'open' | 'due' | 'lookUpDue' | 'removeAt'> {
  const dueMs = nextLookMs(next, nowMs, pollable);
  // Only a look postpones the next one. Look-ups and callbacks may be frequent: the anchor would never be polled.
  const latestMs = polledAtMs === undefined && before.open ? before.due.getTime() : Number.POSITIVE_INFINITY;
  const lookUpMs = nextLookUpMs(next.payment, nowMs);
  return {
    open: dueMs !== null,
    due: new Date(Math.min(dueMs ?? 0, latestMs)),
    ...(ledger ? { lookUpDue: lookUpMs === null ? undefined : new Date(lookUpMs) } : {}),
    ...(next.status === before.status ? {} : { removeAt: removalOf(next) }),
  };
}

/** When to check the intent again; null where no check is left. `pollable`: whether its transaction can be polled. */
export function nextLookMs(intent: Intent, nowMs: number, pollable: boolean): number | null {
  const { outcome, poll } = intent;
  if (outcome !== null && (outcome.kind !== 'failed' || nowMs > recoverableUntilMs(outcome))) return null;
  const turningMs = turningPointMs(intent);
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
  if (firstAtMs !== null) return at(unfundedPace, ageMs);
  // Once polls were resumed (attach.ts), the interval doubles with each of them.
  const resumedMs = intent.unknownPolls === 0 ? ageMs : 20 * secondMs * 2 ** intent.unknownPolls;
  return at(unseenPace, Math.min(ageMs, resumedMs));
}

/** The next moment at which the passing of time alone may end the intent. */
function turningPointMs(intent: Intent): number {
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

function at([part, leastMs, mostMs]: Pace, ageMs: number): number {
  return Math.min(mostMs, Math.max(leastMs, ageMs * part));
}

/** An intent that never had a transaction. */
const withoutTransactionMs = 3 * dayMs;
/** One that had a transaction can be disputed for 30 days. */
const withTransactionMs = 31 * dayMs;

/** When the intent is removed: some days after it ended, where no funds were ever seen of it. */
function removalOf({ outcome, observations }: Intent): Date | undefined {
  if (outcome?.kind !== 'expired' || observations.fundedAtMs !== null) return undefined;
  const keptMs = outcome.reason === 'no_transaction' ? withoutTransactionMs : withTransactionMs;
  return new Date(outcome.recordedAt.getTime() + keptMs);
}
