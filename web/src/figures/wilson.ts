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

const starts = [0.9, 0.8, 0.5];

/**
 * Where the common scale of a column of marks begins: at the highest start that shows at least three quarters of them in
 * full. Records without evidence reach far down; each mark that is cut off shows it.
 */
export function scaleStart(lows: readonly number[]): number {
  return starts.find((start) => lows.filter((low) => low < start).length <= lows.length / 4) ?? 0;
}

/** The position of a share on a scale from `min` to 1, in per cent of its width; a share below `min` is at the start. */
export function placeOnScale(share: number, min: number): number {
  return Math.min(100, Math.max(0, ((share - min) / (1 - min)) * 100));
}
