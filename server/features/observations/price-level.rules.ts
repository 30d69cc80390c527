import { Decimal } from 'decimal.js';
import { middleOf } from '../../own-prices.rules.js';

/** The latest own price of an anchor in a corridor. */
export interface KnownPrice {
  anchorId: string;
  rate: string;
}

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
  const middle = middleOf(
    prices.map((price) => price.rate),
    reference,
  );
  if (middle === undefined) return undefined;
  const { byMedian, lower, higher } = middle;
  const median = new Decimal(lower).add(higher).div(2);
  const percent = new Decimal(rate).div(median).sub(1).mul(100);
  if (percent.abs().lte(offPercent)) return { words: null };
  const basis = byMedian ? `the median of ${prices.length} prices` : 'the mid-market';
  const side = percent.isNegative() ? 'below' : 'above';
  return { words: `${percent.abs().toFixed(1)} % ${side} ${basis}` };
}
