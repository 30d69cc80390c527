import {
  emptySums,
  forEachCount,
  pairBytes,
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

/** How many accounts there are, and the most outcomes of one of them. */
export interface AccountCounts {
  accounts: number;
  largest: number;
}

export const noAccounts: AccountCounts = { accounts: 0, largest: 0 };

/**
 * Counts the accounts of these roll-ups in windows of so many days that end today, in one corridor or in all. Sorting the
 * accounts is most of the cost of a refresh where there are very many, so they are sorted once for all windows.
 */
export function accountCounter(rollups: readonly Rollup[], today: string) {
  const sorted = new Map<string | undefined, Float64Array>();
  return (window: number, corridor?: string): AccountCounts => {
    const ofCorridor = (rollup: Rollup) => corridor === undefined || rollup.corridor === corridor;
    const numbers = sorted.get(corridor) ?? sortedAccounts(rollups.filter(ofCorridor), today);
    sorted.set(corridor, numbers);
    return countAccounts(numbers, window);
  };
}

/** An account, how many days ago, and how many outcomes it had then, in one number below 2⁵³: 32, 7 and 14 bits. */
const [ageBits, countBits] = [7, 14];
const accountUnit = 2 ** (ageBits + countBits);

function sortedAccounts(rollups: readonly Rollup[], today: string): Float64Array {
  const pairs = rollups.reduce((sum, { accounts }) => sum + accounts.byteLength / pairBytes, 0);
  const sorted = new Float64Array(pairs);
  let written = 0;
  for (const { day, accounts } of rollups) {
    const age = (Date.parse(today) - Date.parse(day)) / 86_400_000;
    forEachCount(accounts, (account, count) => {
      sorted[written] = account * accountUnit + age * 2 ** countBits + count;
      written += 1;
    });
  }
  return sorted.sort();
}

function countAccounts(sorted: Float64Array, window: number): AccountCounts {
  const found = { ...noAccounts };
  let [last, outcomes] = [-1, 0];
  for (const number of sorted) {
    const account = Math.floor(number / accountUnit);
    const ageAndCount = number - account * accountUnit;
    if (ageAndCount >>> countBits >= window) continue;
    if (account !== last) {
      found.accounts += 1;
      outcomes = 0;
    }
    outcomes += ageAndCount % 2 ** countBits;
    last = account;
    found.largest = Math.max(found.largest, outcomes);
  }
  return found;
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
