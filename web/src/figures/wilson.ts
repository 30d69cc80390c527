export interface Interval {
  low: number;
  high: number;
}

const z = 1.959963984540054;

/**
 * The 95 % interval of a share that was seen `hits` times in `count` (Wilson 1927), to draw it. Its lower bound is W of
 * the score (docs/reputation.md), whose digits the service computes exactly; null where nothing was seen.
 */
export function wilsonInterval(hits: number, count: number): Interval | null {
  if (count <= 0) return null;
  const middle = (hits + (z * z) / 2) / (count + z * z);
  const reach = (z * Math.sqrt((hits * (count - hits)) / count + (z * z) / 4)) / (count + z * z);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
