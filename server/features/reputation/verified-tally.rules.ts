import { type Tally, withVerifiedCounts } from './counters.rules.js';
import { settleBucketOf } from './settle-histogram.rules.js';

/** As how many speed targets formula v2 counts a time that the anchor withheld; it counts no time as more. */
export const withheldTargets = 4;

/**
 * What formula v2 takes of a tally in a corridor of this speed target: the outcomes that the ledger verifies, and of
 * each that was filled a time. Since no time counts as more than a withheld one, an anchor never gains by silence.
 */
export function verifiedTally(tally: Tally, speedTargetSeconds: number): Tally {
  const slowest = settleBucketOf(withheldTargets * speedTargetSeconds);
  const settle = tally.verifiedSettle.slice();
  let slow = withheldTimes(tally);
  for (let bucket = slowest; bucket < settle.length; bucket += 1) {
    slow += settle[bucket] ?? 0;
    settle[bucket] = 0;
  }
  settle[slowest] = slow;
  return { ...withVerifiedCounts(tally), settle };
}

/** Filled outcomes that the ledger verifies, and whose time is not known. */
export function withheldTimes({ counts, verifiedSettle }: Tally): number {
  let known = 0;
  for (const count of verifiedSettle) known += count;
  return Number(counts.verifiedFilled) - known;
}
