import {
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
  /** Known settle times by bucket. */
  settle: Uint32Array;
  /** The times that count, by bucket: with those that are assumed for what was withheld. */
  times: Uint32Array;
  /** Outcomes by UTC day. */
  days: Map<string, number>;
}

/** With the ledger as evidence, a withheld time counts as this many speed targets, and no time as more. */
const withheldTargets = 4;

export function emptyTally(): Tally {
  return {
    ...emptySums(),
    settle: new Uint32Array(settleBounds.length),
    times: new Uint32Array(settleBounds.length),
    days: new Map(),
  };
}

export function addRollup(tally: Tally, rollup: Rollup): void {
  for (const name of sumNames) tally[name] += rollup[name];
  const { settle } = tally;
  forEachCount(rollup.settle, (bucket, count) => {
    settle[bucket] = (settle[bucket] ?? 0) + count;
  });
  addTo(tally.days, rollup.day, rollup.filled + rollup.notFilled);
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const name of sumNames) sum[name] += tally[name];
  for (const name of ['settle', 'times'] as const) {
    const [into, from] = [sum[name], tally[name]];
    for (let bucket = 0; bucket < into.length; bucket += 1)
      into[bucket] = (into[bucket] ?? 0) + (from[bucket] ?? 0);
  }
  for (const [day, count] of tally.days) addTo(sum.days, day, count);
}

/**
 * The tally of a corridor with the times that count there. Since no time counts as more than a withheld one, an anchor
 * never gains by silence.
 */
export function judgeTimes(tally: Tally, evidence: Evidence, speedTargetSeconds: number): Tally {
  const times = tally.settle.slice();
  if (evidence === 'anchor') return { ...tally, times };
  const slowest = settleBucketOf(withheldTargets * speedTargetSeconds);
  let slow = timesWithheld(tally);
  for (let bucket = slowest; bucket < times.length; bucket += 1) {
    slow += times[bucket] ?? 0;
    times[bucket] = 0;
  }
  times[slowest] = slow;
  return { ...tally, times };
}

/** Filled outcomes without a known time. */
export function timesWithheld({ filled, settle }: Tally): number {
  return settle.reduce((left, count) => left - count, filled);
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
