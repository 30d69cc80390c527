import type { TransactionRecord } from './sep-record.rules.js';

/** A transaction is first checked within this time after it was attached; docs/intents.md promises this to wallets. */
export const firstLookWithinMs = 20_000;
/** Tolerance for the clocks of anchors; a time that lies further ahead is made up. */
const aheadToleranceMs = 60_000;

/** The first observation of a transaction, at a time when it had already been paid. */
export interface FirstSight {
  record: TransactionRecord;
  observedAtMs: number;
  attachedAtMs: number;
  /** When the transaction was first checked, whatever the result; null where this check is the first. */
  firstPolledAtMs: number | null;
}

/**
 * Whether a transaction that was first observed after its payment still counts: the first check came later than the wallet
 * was promised, and the record itself shows that the transaction was attached in time. A check that was made in time but
 * got no answer, or a different one, is no delay of ours.
 */
export function isExcused(sight: FirstSight): boolean {
  const isLate =
    sight.firstPolledAtMs === null && sight.observedAtMs - sight.attachedAtMs > firstLookWithinMs;
  return isLate && wasAttachedInTime(sight);
}

/**
 * Judges by the times of the record alone. Where the record says when the funds were received, that must be after the
 * transaction was attached. Where it does not, as in SEP-6 and SEP-24, the transaction must have come to its present
 * status after that, so that at least nothing was decided when it was attached. A record without a start time is not
 * believed, since only that time shows that the withdrawal is younger than the intent (eligibility.rules.ts).
 */
function wasAttachedInTime({ record, observedAtMs, attachedAtMs }: FirstSight): boolean {
  const { startedAtMs, receivedAtMs, completedAtMs, updatedAtMs } = record;
  if (startedAtMs === null) return false;
  const toldMs = receivedAtMs ?? earlier(completedAtMs, updatedAtMs);
  return toldMs !== null && toldMs >= attachedAtMs && toldMs <= observedAtMs + aheadToleranceMs;
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
