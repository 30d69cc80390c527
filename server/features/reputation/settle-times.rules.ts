/**
 * Settle times are kept as a histogram over this table: bucket `i` holds the whole seconds above `bounds[i - 1]` up
 * to and including `bounds[i]`; whatever exceeds 90 days is in the last one. Exact to 100 s, with steps of at most 2 %
 * above that. Stored roll-ups hold indexes into this table.
 */
export const settleBounds: readonly number[] = makeBounds();

function makeBounds(): number[] {
  const longestSeconds = 90 * 86_400;
  const bounds = [0];
  for (let last = 0; last < longestSeconds; bounds.push(last))
    last = Math.min(longestSeconds, Math.max(last + 1, Math.floor((last * 102) / 100)));
  return bounds;
}

/** The bucket of a settle time in seconds. Defined for every number, so that no stored value can stop a refresh. */
export function settleBucketOf(settleSeconds: number): number {
  let low = 0;
  let high = settleBounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((settleBounds[middle] ?? 0) >= settleSeconds) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The nearest-rank percentile of a histogram: the upper bound of the bucket that holds the value of rank
 * ⌈percent · n / 100⌉. It is never below the exact percentile and at most 2 % above it. Null without values.
 */
export function percentileSeconds(histogram: Uint32Array, percent: number): number | null {
  let total = 0;
  for (const count of histogram) total += count;
  if (total === 0) return null;
  const rank = Math.ceil((total * percent) / 100);
  let seen = 0;
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    seen += histogram[bucket] ?? 0;
    if (seen >= rank) return settleBounds[bucket] ?? null;
  }
  return null;
}
