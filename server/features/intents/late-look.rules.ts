import type { TransactionRecord } from './sep-record.rules.js';

/** How soon after a transaction was attached it is looked at; wallets are told so (docs/intents.md). */
export const firstLookWithinMs = 20_000;
/** Clocks of anchors differ from ours; a time that lies further ahead is made up. */
const aheadToleranceMs = 60_000;

/** The first sight of a transaction, when it had been paid already. */
export interface FirstSight {
  record: TransactionRecord;
  observedAtMs: number;
  attachedAtMs: number;
  /** When a look at it was made first, whatever came of it; null where this is the first. */
  lookedAtMs: number | null;
}

/**
 * Whether a transaction that was first seen after its payment counts all the same: the first look came later than the
 * wallet was promised, and the record itself shows that the transaction was attached in time. A look that was made in
 * time and got no answer, or another one, is no delay of ours.
 */
export function isExcused(sight: FirstSight): boolean {
  const isLate = sight.lookedAtMs === null && sight.observedAtMs - sight.attachedAtMs > firstLookWithinMs;
  return isLate && wasAttachedInTime(sight);
}

/**
 * By the times of the record alone: paid after it was attached, where the record says when the funds were received.
 * Where it does not, as in SEP-6 and SEP-24, it must have come to its present status after it was attached: then at
 * least nothing was decided when it was attached. A record without the time of its start is not believed, since only
 * that shows that the withdrawal is younger than the intent (eligibility.rules.ts).
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
