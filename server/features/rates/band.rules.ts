import { Decimal } from 'decimal.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';
import { middleOf } from '../../own-prices.rules.js';
import type { FxReading } from './fx.rules.js';
import { Money } from './money.rules.js';

/** The range of rates in which quotes of a corridor are ranked; null if there is nothing to compare them with. */
export type Band = RatesAnswer['band'];

const shownDigits = 10;

/**
 * The band around the median of at least three anchors' own prices; with fewer, around the reference rate, unless that is
 * missing or stale. If an even number of prices has no reference rate beside it, the band reaches from below the lower to
 * above the higher of the two middle prices, since it is unknown which of them is right. Rounding never narrows the band.
 */
export function bandOf(terms: {
  /** Fiat per stablecoin, all fees included; one per anchor that gives its own price. */
  prices: readonly string[];
  market: FxReading;
  factor: string;
}): Band {
  const { prices, market, factor } = terms;
  const middle = middleOf(prices, 'missing' in market ? null : market.rate);
  if (middle === undefined) return null;
  const { byMedian, lower, higher } = middle;
  return {
    basis: byMedian ? 'median' : 'reference',
    anchors: byMedian ? prices.length : 0,
    factor,
    low: new Money(lower).div(factor).toSignificantDigits(shownDigits, Decimal.ROUND_DOWN).toFixed(),
    high: new Money(higher).mul(factor).toSignificantDigits(shownDigits, Decimal.ROUND_UP).toFixed(),
  };
}

/** Why a quote at this rate is not ranked; null if it is. */
export function outsideBand(rate: string, band: Band): RateQuote['unranked'] {
  if (band === null) return null;
  if (new Money(rate).gt(band.high)) return 'above_band';
  return new Money(rate).lt(band.low) ? 'below_band' : null;
}
