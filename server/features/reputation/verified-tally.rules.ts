import { type Tally, withVerifiedCounts } from './counters.rules.js';
import { settleBucketOf } from './settle-histogram.rules.js';

/** Formula v2 counts a time that the anchor withheld as this many speed targets, and no time as more. */
const withheldTargets = 4;

/**
 * The part of a tally that formula v2 counts in a corridor with this speed target: the outcomes that the ledger verifies,
 * and a time for each filled one. Since no time counts as more than a withheld one, an anchor never gains by silence.
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
