import { Decimal } from 'decimal.js';

/** The fewest anchors whose own prices give a median that no single anchor decides. */
const fewestForMedian = 3;

/** The two middle ones of the rates that prices of a corridor are compared with; both are the same if their number is odd. */
export interface MiddleRates {
  /** Whether they are those of the anchors' own prices; otherwise they are the reference rate. */
  byMedian: boolean;
  lower: string;
  higher: string;
}

/**
 * The middle of at least three anchors' own prices; with fewer, the reference rate; undefined without that. To an even
 * number of prices the reference rate is added, if there is one, so that half of the anchors cannot decide alone.
 */
export function middleOf(prices: readonly string[], reference: string | null): MiddleRates | undefined {
  const references = reference === null ? [] : [reference];
  const byMedian = prices.length >= fewestForMedian;
  const even = prices.length % 2 === 0;
  const compared = byMedian ? [...prices, ...(even ? references : [])] : references;
  const ordered = compared.sort((a, b) => new Decimal(a).cmp(b));
  const lower = ordered[Math.floor((ordered.length - 1) / 2)];
  const higher = ordered[Math.floor(ordered.length / 2)];
  return lower === undefined || higher === undefined ? undefined : { byMedian, lower, higher };
}
