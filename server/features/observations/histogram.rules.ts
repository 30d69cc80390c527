/** Counts by bucket, as a roll-up stores them: only buckets that are not empty, by their index. */
export type Histogram = Readonly<Record<string, number>>;

const longestMs = 10_000;

/**
 * Bucket `i` of latencies holds the milliseconds above `latencyBounds[i - 1]` up to and including `latencyBounds[i]`: exact
 * to 20 ms, in steps of at most 5 % above. Stored roll-ups hold indexes into this table, so it must never be changed.
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

/** The bucket that holds the value of rank ⌈percent · n / 100⌉ (nearest rank); undefined without values. */
export function bucketAt(histogram: Histogram, percent: number): number | undefined {
  const rank = Math.ceil((totalOf(histogram) * percent) / 100);
  const inOrder = Object.keys(histogram).map(Number);
  inOrder.sort((a, b) => a - b);
  let seen = 0;
  return inOrder.find((bucket) => {
    seen += histogram[bucket] ?? 0;
    return seen >= rank;
  });
}

export function totalOf(histogram: Histogram = {}): number {
  return Object.values(histogram).reduce((sum, count) => sum + count, 0);
}
