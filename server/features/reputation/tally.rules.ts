import {
  addTo,
  emptySums,
  forEachCount,
  type Rollup,
  type Sums,
  settleBounds,
  settleBucketOf,
  sumNames,
} from './day-count.rules.js';
import type { Evidence } from './what-counts.rules.js';

/** Roll-ups added up, over days or over corridors. */
export interface Tally extends Sums {
  /** Settle times by bucket: the known ones, and once they are judged, those that are assumed for what was withheld. */
  times: Uint32Array;
  /** Filled outcomes without a known time. */
  timesWithheld: number;
  /** Outcomes by UTC day. */
  days: Map<string, number>;
}

/** With the ledger as evidence, a withheld time counts as this many speed targets, and no time as more. */
const withheldTargets = 4;

export function emptyTally(): Tally {
  return {
    ...emptySums(),
    times: new Uint32Array(settleBounds.length),
    timesWithheld: 0,
    days: new Map(),
  };
}

export function addRollup(tally: Tally, rollup: Rollup): void {
  for (const name of sumNames) tally[name] += rollup[name];
  const { times } = tally;
  tally.timesWithheld += rollup.filled;
  forEachCount(rollup.settle, (bucket, count) => {
    times[bucket] = (times[bucket] ?? 0) + count;
    tally.timesWithheld -= count;
  });
  addTo(tally.days, rollup.day, rollup.filled + rollup.notFilled);
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const name of [...sumNames, 'timesWithheld'] as const) sum[name] += tally[name];
  sum.times.forEach((count, bucket) => {
    sum.times[bucket] = count + (tally.times[bucket] ?? 0);
  });
  for (const [day, count] of tally.days) addTo(sum.days, day, count);
}

/**
 * The tally of a corridor with the times that count there. Since no time counts as more than a withheld one, an anchor
 * never gains by silence.
 */
export function judgeTimes(tally: Tally, evidence: Evidence, speedTargetSeconds: number): Tally {
  if (evidence === 'anchor') return tally;
  const slowest = settleBucketOf(withheldTargets * speedTargetSeconds);
  const times = tally.times.slice().fill(0, slowest);
  times[slowest] = tally.times.subarray(slowest).reduce((slow, count) => slow + count, tally.timesWithheld);
  return { ...tally, times };
}
