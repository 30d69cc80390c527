import {
  type CardSigns,
  cardSigns,
  type ScoreCard,
  scoreCard,
} from '../../../contract/schemas/score-card.js';
import {
  emptyHistogram,
  forEachBucket,
  type PackedHistogram,
  settleBounds,
} from './settle-histogram.rules.js';
import type { Contribution } from './what-counts.rules.js';

interface Counter {
  /** The number that one intent adds, from its contribution. */
  adds(contribution: Contribution): number;
  /** Stored with 64 bits, for a sum that outgrows 32. */
  long?: true;
}

/**
 * The counters of a roll-up, all whole numbers. The stored schema, zero, addition and difference follow from this table,
 * and so does every member of the same name in the score card of the contract or in its signs.
 */
const counters = {
  filled: { adds: ({ filled }) => filled },
  notFilled: { adds: ({ notFilled }) => notFilled },
  // No intent adds to it by itself: an account-day is counted with its first outcome (aggregation.rules.ts).
  accountDays: { adds: () => 0 },
  quotedOutcomes: { adds: ({ shortfallPpb }) => (shortfallPpb === null ? 0 : 1) },
  shortfallPpb: { adds: ({ shortfallPpb }) => shortfallPpb ?? 0, long: true },
  acceptedDisputes: { adds: ({ acceptedDispute }) => acceptedDispute },
  timesKnown: { adds: ({ timesKnown }) => timesKnown },
  newAccountOutcomes: { adds: ({ newAccount }) => newAccount },
  verifiedFilled: { adds: ({ verified, filled }) => verified && filled },
  verifiedNotFilled: { adds: ({ verified, notFilled }) => verified && notFilled },
  // As with the others, an account-day is counted with its first verified outcome.
  verifiedAccountDays: { adds: () => 0 },
  verifiedQuotedOutcomes: { adds: ({ verified, shortfallPpb }) => (shortfallPpb === null ? 0 : verified) },
  verifiedShortfallPpb: {
    adds: ({ verified, shortfallPpb }) => (verified === 1 ? (shortfallPpb ?? 0) : 0),
    long: true,
  },
  verifiedAcceptedDisputes: { adds: ({ verified, acceptedDispute }) => verified && acceptedDispute },
} satisfies Record<string, Counter>;

/** The histograms of a roll-up, and the bucket in which each counts a contribution; null if it does not count it. */
export const histograms = {
  settle: ({ settleBucket }) => settleBucket,
  /** The known times of verified outcomes. */
  verifiedSettle: ({ verified, timesKnown, settleBucket }) =>
    verified === 1 && timesKnown === 1 ? settleBucket : null,
} satisfies Record<string, (contribution: Contribution) => number | null>;

export type HistogramName = keyof typeof histograms;
export const histogramNames = Object.keys(histograms) as HistogramName[];

export type CounterName = keyof typeof counters;
export type Counters = Record<CounterName, number>;
type PublishedCounter = CounterName & keyof ScoreCard;
type SignCounter = CounterName & keyof CardSigns;

export const counterNames = Object.keys(counters) as CounterName[];
const publishedCounters = counterNames.filter((name): name is PublishedCounter => name in scoreCard.shape);
const signCounters = counterNames.filter((name): name is SignCounter => name in cardSigns);

/** The stored counters of one anchor, corridor and UTC day. */
export interface Rollup extends Counters, Record<HistogramName, PackedHistogram> {
  anchorId: string;
  corridor: string;
  day: string;
}

/** An object with the value that `give` returns for each counter. */
export function eachCounter<T>(give: (name: CounterName) => T): Record<CounterName, T> {
  return Object.fromEntries(counterNames.map((name) => [name, give(name)])) as Record<CounterName, T>;
}

/** An object with the value that `give` returns for each histogram. */
export function eachHistogram<T>(give: (name: HistogramName) => T): Record<HistogramName, T> {
  return Object.fromEntries(histogramNames.map((name) => [name, give(name)])) as Record<HistogramName, T>;
}

/** The counts of an empty roll-up. */
export const emptyCounts = { ...eachCounter(() => 0), ...eachHistogram(() => emptyHistogram) };

export function isLong(name: CounterName): boolean {
  return 'long' in counters[name];
}

/** Adds the contribution of an intent, or subtracts it with sign −1. */
export function addContribution(sum: Counters, contribution: Contribution, sign: 1 | -1): void {
  for (const name of counterNames) {
    // A contribution stored before a counter existed lacks its member, which then counts as zero.
    const added: number | undefined = counters[name].adds(contribution);
    sum[name] += sign * (added ?? 0);
  }
}

/** Roll-ups added up, over days or over corridors. */
export interface Tally extends Record<HistogramName, Uint32Array> {
  /** Exact for any number of roll-ups: a sum of parts per 10⁹ may exceed what a double holds exactly. */
  counts: Record<CounterName, bigint>;
}

export function emptyTally(): Tally {
  return { counts: eachCounter(() => 0n), ...eachHistogram(() => new Uint32Array(settleBounds.length)) };
}

/** Adds a roll-up to a tally, or subtracts it with sign −1. */
export function addRollup(tally: Tally, rollup: Rollup, sign: 1 | -1 = 1): void {
  const { counts } = tally;
  for (const name of counterNames) if (rollup[name] !== 0) counts[name] += BigInt(sign * rollup[name]);
  for (const name of histogramNames) {
    const sum = tally[name];
    forEachBucket(rollup[name], (bucket, count) => {
      sum[bucket] = (sum[bucket] ?? 0) + sign * count;
    });
  }
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const name of counterNames) sum.counts[name] += tally.counts[name];
  for (const name of histogramNames) {
    const [into, from] = [sum[name], tally[name]];
    for (let bucket = 0; bucket < into.length; bucket += 1)
      into[bucket] = (into[bucket] ?? 0) + (from[bucket] ?? 0);
  }
}

/** The tally with every count replaced by that of the outcomes that the ledger verifies. */
export function withVerifiedCounts(tally: Tally): Tally {
  const { counts } = tally;
  return {
    ...tally,
    counts: {
      ...counts,
      filled: counts.verifiedFilled,
      notFilled: counts.verifiedNotFilled,
      accountDays: counts.verifiedAccountDays,
      quotedOutcomes: counts.verifiedQuotedOutcomes,
      shortfallPpb: counts.verifiedShortfallPpb,
      acceptedDisputes: counts.verifiedAcceptedDisputes,
    },
  };
}

/** The counters that the score card contains unchanged. */
export function publishedCounts(tally: Tally): Record<PublishedCounter, number> {
  return countsOf(publishedCounters, tally);
}

/** The counters that the signs beside the card contain unchanged. */
export function signCounts(tally: Tally): Record<SignCounter, number> {
  return countsOf(signCounters, tally);
}

function countsOf<Name extends CounterName>(names: readonly Name[], { counts }: Tally): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, Number(counts[name])])) as Record<Name, number>;
}

/** The counts of a roll-up before and after a rebuild. */
export interface RollupDifference {
  /** Anchor, day and corridor. */
  key: string;
  had: Record<string, number>;
  has: Record<string, number>;
}

/** Null if both hold the same counts; an absent roll-up or bucket is the same as zero. */
export function differenceOf(
  key: string,
  had: Rollup | undefined,
  has: Rollup | undefined,
): RollupDifference | null {
  const left = nonZeroCounts(had);
  const right = nonZeroCounts(has);
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const same = [...names].every((name) => left[name] === right[name]);
  return same ? null : { key, had: left, has: right };
}

function nonZeroCounts(rollup: Rollup | undefined): Record<string, number> {
  if (rollup === undefined) return {};
  const entries: [string, number][] = counterNames.map((name) => [name, rollup[name]]);
  for (const name of histogramNames)
    forEachBucket(rollup[name], (bucket, count) => entries.push([`${name}.${bucket}`, count]));
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}
