import {
  type CardSigns,
  cardSigns,
  type ScoreCard,
  scoreCard,
} from '../../../contract/schemas/score-card.js';
import type { Contribution } from './contribution.rules.js';
import { forEachBucket, type PackedHistogram, settleBounds } from './settle-histogram.rules.js';

interface Counter {
  /** What one intent adds, from its contribution. */
  adds(contribution: Contribution): number;
  /** Stored with 64 bits, for a sum that outgrows 32. */
  long?: true;
}

/**
 * The counters of a roll-up, whole numbers all of them. The stored schema, zero, addition and difference follow from
 * this table; where the score card of the contract, or its signs, have a member of the same name, the value there does,
 * too.
 */
export const counters = {
  filled: { adds: ({ filled }) => filled },
  notFilled: { adds: ({ notFilled }) => notFilled },
  // No intent adds to it by itself: an account-day is counted with its first outcome (aggregation.rules.ts).
  accountDays: { adds: () => 0 },
  quotedOutcomes: { adds: ({ shortfallPpb }) => (shortfallPpb === null ? 0 : 1) },
  shortfallPpb: { adds: ({ shortfallPpb }) => shortfallPpb ?? 0, long: true },
  acceptedDisputes: { adds: ({ acceptedDispute }) => acceptedDispute },
  timesKnown: { adds: ({ timesKnown }) => timesKnown },
  newAccountOutcomes: { adds: ({ newAccount }) => newAccount },
} satisfies Record<string, Counter>;

export type CounterName = keyof typeof counters;
export type Counters = Record<CounterName, number>;
type PublishedCounter = CounterName & keyof ScoreCard;
type SignCounter = CounterName & keyof CardSigns;

export const counterNames = Object.keys(counters) as CounterName[];
const publishedCounters = counterNames.filter((name): name is PublishedCounter => name in scoreCard.shape);
const signCounters = counterNames.filter((name): name is SignCounter => name in cardSigns);

/** The stored counters of one anchor, corridor and UTC day. */
export interface Rollup extends Counters {
  anchorId: string;
  corridor: string;
  day: string;
  settle: PackedHistogram;
}

/** For every counter the value that `give` returns. */
export function eachCounter<T>(give: (name: CounterName) => T): Record<CounterName, T> {
  return Object.fromEntries(counterNames.map((name) => [name, give(name)])) as Record<CounterName, T>;
}

export function isLong(name: CounterName): boolean {
  return 'long' in counters[name];
}

/** Adds what an intent contributes, or takes it out again with sign −1. */
export function addContribution(sum: Counters, contribution: Contribution, sign: 1 | -1): void {
  for (const name of counterNames) {
    // A contribution stored before a counter existed lacks its member, which then stands for zero.
    const added: number | undefined = counters[name].adds(contribution);
    sum[name] += sign * (added ?? 0);
  }
}

/** Roll-ups added up, over days or over corridors. */
export interface Tally {
  /** Exact however many there are: a sum of parts per 10⁹ may outgrow a double. */
  counts: Record<CounterName, bigint>;
  settle: Uint32Array;
}

export function emptyTally(): Tally {
  return { counts: eachCounter(() => 0n), settle: new Uint32Array(settleBounds.length) };
}

/** Adds a roll-up to a tally, or takes it out again with sign −1. */
export function addRollup({ counts, settle }: Tally, rollup: Rollup, sign: 1 | -1 = 1): void {
  for (const name of counterNames) if (rollup[name] !== 0) counts[name] += BigInt(sign * rollup[name]);
  forEachBucket(rollup.settle, (bucket, count) => {
    settle[bucket] = (settle[bucket] ?? 0) + sign * count;
  });
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const name of counterNames) sum.counts[name] += tally.counts[name];
  for (let bucket = 0; bucket < sum.settle.length; bucket += 1) {
    sum.settle[bucket] = (sum.settle[bucket] ?? 0) + (tally.settle[bucket] ?? 0);
  }
}

/** The counters that the score card shows as they are. */
export function publishedCounts(tally: Tally): Record<PublishedCounter, number> {
  return countsOf(publishedCounters, tally);
}

/** The counters that are shown beside the card. */
export function signCounts(tally: Tally): Record<SignCounter, number> {
  return countsOf(signCounters, tally);
}

function countsOf<Name extends CounterName>(names: readonly Name[], { counts }: Tally): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, Number(counts[name])])) as Record<Name, number>;
}

/** A roll-up as it was and as a rebuild makes it. */
export interface RollupDifference {
  /** Anchor, day and corridor. */
  key: string;
  had: Record<string, number>;
  has: Record<string, number>;
}

/** Null where both hold the same counts; an absent roll-up or bucket is the same as zero. */
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
  forEachBucket(rollup.settle, (bucket, count) => entries.push([`settle.${bucket}`, count]));
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}
