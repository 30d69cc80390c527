import { Decimal } from 'decimal.js';

/** The latest own price of an anchor in a corridor. */
export interface KnownPrice {
  anchorId: string;
  rate: string;
}

/** The fewest own prices whose median no single one of them decides; the same number as for the band of rates. */
const fewestForMedian = 3;
const offPercent = 10;

/**
 * Whether a price is more than 10 % from the median of the anchors' own prices in the corridor, this one included, or from
 * the reference rate if fewer than three anchors give a price. To an even number of prices the reference rate is added, if
 * there is one. Undefined if there is nothing to compare with; `words` is null if the price is within the 10 %.
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
