import { Decimal } from 'decimal.js';

/** The latest own price of an anchor in a corridor. */
export interface KnownPrice {
  anchorId: string;
  rate: string;
}

/** As many own prices make a median that none of them decides alone; the same as for the band of rates. */
const fewestForMedian = 3;
const offPercent = 10;

/**
 * Whether a price is off: more than 10 % from the median of the corridor's own prices, its own among them, or from the
 * reference rate where fewer than three anchors give one. With an even number of prices the reference rate, where there
 * is one, is one more of them. Undefined where there is nothing to compare it with; `words` is null where it is not off.
 */
export function deviationOf(
  rate: string,
  prices: readonly KnownPrice[],
  reference: string | null,
): { words: string | null } | undefined {
  const byMedian = prices.length >= fewestForMedian;
  const references = reference === null ? [] : [reference];
  const compared = byMedian
    ? [...prices.map((price) => price.rate), ...(prices.length % 2 === 0 ? references : [])]
    : references;
  if (compared.length === 0) return undefined;
  const percent = new Decimal(rate).div(medianOf(compared)).sub(1).mul(100);
  if (percent.abs().lte(offPercent)) return { words: null };
  const basis = byMedian ? `the median of ${prices.length} prices` : 'the mid-market';
  const side = percent.isNegative() ? 'below' : 'above';
  return { words: `${percent.abs().toFixed(1)} % ${side} ${basis}` };
}

function medianOf(rates: readonly string[]): Decimal {
  const ordered = rates.map((rate) => new Decimal(rate)).sort((a, b) => a.cmp(b));
  const lower = ordered[Math.floor((ordered.length - 1) / 2)] as Decimal;
  const higher = ordered[Math.floor(ordered.length / 2)] as Decimal;
  return lower.add(higher).div(2);
}
