import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { forEachBucket, type PackedHistogram } from './histogram.rules.js';
import { hasEnough, scoreOf, weightedScore } from './score.rules.js';
import { percentileSeconds, settleBounds } from './settle-bounds.rules.js';

/** The stored counters of one anchor, corridor and UTC day. */
export interface Rollup {
  anchorId: string;
  corridor: string;
  day: string;
  filled: number;
  notFilled: number;
  accountDays: number;
  quotedOutcomes: number;
  shortfallPpb: number;
  acceptedDisputes: number;
  settle: PackedHistogram;
}

/** Roll-ups added up, over days or over corridors. */
export interface Tally {
  filled: number;
  notFilled: number;
  accountDays: number;
  quotedOutcomes: number;
  shortfallPpb: bigint;
  acceptedDisputes: number;
  settle: Uint32Array;
}

/** The part of a card that follows from a tally alone. */
export type Counts = Pick<
  ScoreCard,
  | 'outcomes'
  | 'filled'
  | 'accountDays'
  | 'fillRate'
  | 'p50SettleSeconds'
  | 'p95SettleSeconds'
  | 'meanShortfall'
  | 'quotedOutcomes'
  | 'acceptedDisputes'
>;

/** Counts with a score: of a card, or of an anchor over all its corridors. */
export type ScoredRecord = Counts & Pick<ScoreCard, 'score' | 'state'>;

export function emptyTally(): Tally {
  return {
    filled: 0,
    notFilled: 0,
    accountDays: 0,
    quotedOutcomes: 0,
    shortfallPpb: 0n,
    acceptedDisputes: 0,
    settle: new Uint32Array(settleBounds.length),
  };
}

/** Adds a roll-up to a tally, or takes it out again with sign −1. */
export function addRollup(tally: Tally, rollup: Rollup, sign: 1 | -1 = 1): void {
  tally.filled += sign * rollup.filled;
  tally.notFilled += sign * rollup.notFilled;
  tally.accountDays += sign * rollup.accountDays;
  tally.quotedOutcomes += sign * rollup.quotedOutcomes;
  tally.shortfallPpb += BigInt(sign * rollup.shortfallPpb);
  tally.acceptedDisputes += sign * rollup.acceptedDisputes;
  forEachBucket(rollup.settle, (bucket, count) => {
    tally.settle[bucket] = (tally.settle[bucket] ?? 0) + sign * count;
  });
}

/** Adds all of one tally to another. */
export function addTally(sum: Tally, tally: Tally): void {
  sum.filled += tally.filled;
  sum.notFilled += tally.notFilled;
  sum.accountDays += tally.accountDays;
  sum.quotedOutcomes += tally.quotedOutcomes;
  sum.shortfallPpb += tally.shortfallPpb;
  sum.acceptedDisputes += tally.acceptedDisputes;
  for (let bucket = 0; bucket < sum.settle.length; bucket += 1) {
    sum.settle[bucket] = (sum.settle[bucket] ?? 0) + (tally.settle[bucket] ?? 0);
  }
}

export function countsOf(tally: Tally): Counts {
  const outcomes = tally.filled + tally.notFilled;
  return {
    outcomes,
    filled: tally.filled,
    accountDays: tally.accountDays,
    fillRate: outcomes === 0 ? null : fraction(BigInt(tally.filled), BigInt(outcomes), 6, 'down'),
    p50SettleSeconds: percentileSeconds(tally.settle, 50),
    p95SettleSeconds: percentileSeconds(tally.settle, 95),
    meanShortfall:
      tally.quotedOutcomes === 0
        ? null
        : fraction(tally.shortfallPpb, BigInt(tally.quotedOutcomes) * 1_000_000_000n, 9, 'up'),
    quotedOutcomes: tally.quotedOutcomes,
    acceptedDisputes: tally.acceptedDisputes,
  };
}

/** The counts with the score they give in a corridor of this speed target. */
export function scoredRecord(counts: Counts, speedTargetSeconds: number): ScoredRecord {
  return {
    ...counts,
    score: scoreOf({ ...counts, speedTargetSeconds }),
    state: hasEnough(counts) ? 'scored' : 'insufficient_data',
  };
}

export function cardOf(
  counts: Counts,
  place: Pick<ScoreCard, 'anchorId' | 'corridor' | 'window' | 'speedTargetSeconds' | 'simulated'>,
): ScoreCard {
  const { anchorId, corridor, window, speedTargetSeconds, simulated } = place;
  const { score, state, ...rest } = scoredRecord(counts, speedTargetSeconds);
  return { anchorId, corridor, window, ...rest, speedTargetSeconds, score, state, simulated };
}

/** An anchor over all its corridors: the counts of all, the score from those that have one. */
export function anchorRecord(
  all: Tally,
  cards: readonly Pick<ScoreCard, 'score' | 'outcomes'>[],
): ScoredRecord {
  const score = weightedScore(cards);
  return { ...countsOf(all), score, state: score === null ? 'insufficient_data' : 'scored' };
}

/** The first UTC day of a window that ends with `day`, that day included. */
export function firstDayOf(window: number, day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) - (window - 1) * 86_400_000).toISOString().slice(0, 10);
}

/** `part / whole` with so many places, as text; both at least zero. */
function fraction(part: bigint, whole: bigint, places: number, round: 'up' | 'down'): string {
  const scaled = part * 10n ** BigInt(places);
  const units = round === 'down' ? scaled / whole : (scaled + whole - 1n) / whole;
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
