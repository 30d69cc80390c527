import type { QuoteTier } from '../../../contract/schemas/rates.js';
import type { Observation } from './observation.rules.js';

/** Counts by bucket or by outcome, as they are stored: only those that are not 0. */
export type Histogram = Readonly<Record<string, number>>;

/** Counts for a service of an anchor, or for a corridor that it serves. What would be empty is not stored. */
export interface Counts {
  /** Rounds in which the service or corridor was asked. */
  asked: number;
  /** Rounds in which every call was answered; for a corridor, with a valid price. */
  answered: number;
  /** The number of calls per outcome other than `answered`. */
  failures?: Histogram;
  latency?: Histogram;
  /** What the anchor's own prices lose against the mid-market, and what the estimates do. */
  losses?: Readonly<Partial<Record<QuoteTier, Losses>>>;
}

export interface Losses {
  /** In hundredths of a per cent. */
  sum: number;
  /** The number of quotes per tenth of a per cent. */
  buckets: Histogram;
}

/** By service (`sep38`) or corridor (`usdc-ngn`). */
export type CountsBySubject = Readonly<Record<string, Counts>>;

/** A quote further than this from the mid-market, in per cent, is none that anybody could take: it would distort the mean. */
const furthestPercent = 1_000;
const longestMs = 10_000;

/**
 * Bucket `i` of latencies holds the milliseconds above `latencyBounds[i - 1]` up to and including `latencyBounds[i]`: exact
 * to 20 ms, in steps of at most 5 % above. What is stored has indexes into this table, so it must never be changed.
 */
export const latencyBounds: readonly number[] = growing();

function growing(): number[] {
  const bounds = [0];
  for (let bound = 1; bound < longestMs; bound = Math.max(bound + 1, Math.floor((bound * 105) / 100)))
    bounds.push(bound);
  return [...bounds, longestMs];
}

export function latencyBucketOf(ms: number): number {
  const bucket = latencyBounds.findIndex((bound) => bound >= ms);
  return bucket < 0 ? latencyBounds.length - 1 : bucket;
}

/** What a round adds to the counts of its day, each number by its path in the document of the day. */
export function incrementsOf({ calls, corridors }: Observation): Record<string, number> {
  const increments: Record<string, number> = {};
  const add = (subject: string, counter: string, count: number) => {
    const path = `counts.${subject}.${counter}`;
    increments[path] = (increments[path] ?? 0) + count;
  };
  for (const { service, corridor, outcome, latencyMs } of calls) {
    const isAnswered = outcome === 'answered';
    const counter = isAnswered ? `latency.${latencyBucketOf(latencyMs ?? 0)}` : `failures.${outcome}`;
    for (const subject of corridor === null ? [service] : [service, corridor]) add(subject, counter, 1);
  }
  for (const service of new Set(calls.map((call) => call.service))) {
    const failed = calls.some((call) => call.service === service && call.outcome !== 'answered');
    add(service, 'asked', 1);
    add(service, 'answered', failed ? 0 : 1);
  }
  for (const { corridor, asked, offer } of corridors) {
    add(corridor, 'asked', Number(asked));
    add(corridor, 'answered', Number(offer?.tier === 'anchor'));
    const lost = Number(offer?.costPercent ?? Number.NaN);
    if (offer === null || !(Math.abs(lost) <= furthestPercent)) continue;
    add(corridor, `losses.${offer.tier}.sum`, Math.round(lost * 100));
    add(corridor, `losses.${offer.tier}.buckets.${Math.round(lost * 10)}`, 1);
  }
  return increments;
}

/** The sum of counts of the same form, such as those of several days: number by number, where each is. */
export function addedUp<Tree extends object>(trees: readonly Tree[]): Partial<Tree> {
  const sum: Record<string, unknown> = {};
  for (const [name, value] of trees.flatMap((tree) => Object.entries(tree))) {
    const known = sum[name];
    sum[name] =
      typeof value === 'number' ? Number(known ?? 0) + value : addedUp([(known ?? {}) as object, value]);
  }
  return sum as Partial<Tree>;
}
