import { provesFunds, type TransactionRecord } from './sep-record.rules.js';
import type { ReadStatus } from './status-table.rules.js';

/** What we have seen of a transaction, and when: by our own clock, so that no anchor can move it far. Epoch ms. */
export interface Sightings {
  firstAtMs: number | null;
  lastAtMs: number | null;
  status: ReadStatus['word'] | null;
  /** When the anchor says it came to that status. */
  updatedAtMs: number | null;
  /** The last sight without proof of funds, and the first one with it. */
  unfundedAtMs: number | null;
  fundedAtMs: number | null;
  /** When the payment arrived, as far as a sight between payment and pay-out tells; else null. */
  paidAtMs: number | null;
  /** The last sight of it neither ready nor completed, and since when cash is ready. */
  notReadyAtMs: number | null;
  readyAtMs: number | null;
  /** The last sight of it not completed; when the present completion was first seen, and when it happened. */
  notCompletedAtMs: number | null;
  completedSeenAtMs: number | null;
  completedAtMs: number | null;
  /** First sight of `error` or the like that stands since. */
  closedSinceMs: number | null;
}

export const nothingSeen: Sightings = {
  firstAtMs: null,
  lastAtMs: null,
  status: null,
  updatedAtMs: null,
  unfundedAtMs: null,
  fundedAtMs: null,
  paidAtMs: null,
  notReadyAtMs: null,
  readyAtMs: null,
  notCompletedAtMs: null,
  completedSeenAtMs: null,
  completedAtMs: null,
  closedSinceMs: null,
};

/** Adds one sight. `attachedAtMs` bounds from below what the first sight says of earlier times. */
export function addSight(
  before: Sightings,
  record: TransactionRecord,
  seenAtMs: number,
  attachedAtMs: number,
): Sightings {
  const funded = before.fundedAtMs !== null || provesFunds(record);
  const { group } = record.status;
  const completed = group === 'completed' && !record.refunded;
  const doneForUser = completed || group === 'ready';
  const between = (told: number | null, from: number | null) =>
    clamp(told ?? seenAtMs, from ?? attachedAtMs, seenAtMs);

  const after: Sightings = {
    ...before,
    firstAtMs: before.firstAtMs ?? seenAtMs,
    lastAtMs: seenAtMs,
    status: record.status.word,
    updatedAtMs: record.updatedAtMs,
    closedSinceMs: group === 'closed' ? (before.closedSinceMs ?? seenAtMs) : null,
  };
  if (!funded) after.unfundedAtMs = seenAtMs;
  if (funded && before.fundedAtMs === null) {
    after.fundedAtMs = seenAtMs;
    // The time of the present status is the payment's only while nothing later has happened.
    after.paidAtMs = doneForUser ? null : between(record.updatedAtMs, before.unfundedAtMs);
  }
  if (!doneForUser) {
    after.notReadyAtMs = seenAtMs;
    after.readyAtMs = null;
  } else if (group === 'ready' && before.readyAtMs === null) {
    after.readyAtMs = between(record.updatedAtMs, before.notReadyAtMs);
  }
  if (!completed) {
    after.notCompletedAtMs = seenAtMs;
    after.completedSeenAtMs = null;
    after.completedAtMs = null;
  } else if (before.completedSeenAtMs === null) {
    after.completedSeenAtMs = seenAtMs;
    after.completedAtMs = between(record.completedAtMs ?? record.updatedAtMs, before.notCompletedAtMs);
  }
  return after;
}

/** Beyond this, "somewhere in between" says nothing of an anchor's speed. */
const blindMs = 60_000;

/**
 * Whole seconds from payment to pay-out, for cash to ready for pick-up; null while it is not completed. Where funds and
 * pay-out were first seen together, both lie between the last sight without funds and the pay-out: half of that time is
 * taken if it is a minute at most, else the time is unknown, null.
 */
export function settleSeconds(seen: Sightings, attachedAtMs: number): number | null {
  if (seen.completedAtMs === null) return null;
  const endMs = seen.readyAtMs ?? seen.completedAtMs;
  const unseenMs = endMs - (seen.unfundedAtMs ?? attachedAtMs);
  if (seen.paidAtMs === null && unseenMs > blindMs) return null;
  const tookMs = seen.paidAtMs === null ? unseenMs / 2 : endMs - seen.paidAtMs;
  return Math.max(0, Math.floor(tookMs / 1_000));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
