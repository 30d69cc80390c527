import { Decimal } from 'decimal.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';
import type { FxReading } from './fx.rules.js';
import { Money } from './money.rules.js';

/** The range of rates in which quotes of a corridor are ranked; null if there is nothing to compare them with. */
export type Band = RatesAnswer['band'];

/** The fewest anchors whose own prices give a median that no single anchor decides. */
const fewestForMedian = 3;
const shownDigits = 10;

/**
 * The band around the median of at least three anchors' own prices; with fewer, around the reference rate, unless that is
 * missing or stale. To an even number of prices the reference rate is added, so that half of the anchors cannot decide
 * alone; if there is none, the band reaches from below the lower to above the higher of the two middle prices, since it is
 * unknown which of them is right. Rounding never narrows the band.
 */
export function bandOf(terms: {
  /** Fiat per stablecoin, all fees included; one per anchor that gives its own price. */
  prices: readonly string[];
  market: FxReading;
  factor: string;
}): Band {
  const { prices, market, factor } = terms;
  const reference = 'missing' in market ? [] : [market.rate];
  const byMedian = prices.length >= fewestForMedian;
  if (!byMedian && reference.length === 0) return null;
  const even = prices.length % 2 === 0;
  const compared = byMedian ? [...prices, ...(even ? reference : [])] : reference;
  const ordered = compared.map((price) => new Money(price)).sort((a, b) => a.cmp(b));
  const lower = ordered[Math.floor((ordered.length - 1) / 2)] as Decimal;
  const higher = ordered[Math.floor(ordered.length / 2)] as Decimal;
  return {
    basis: byMedian ? 'median' : 'reference',
    anchors: byMedian ? prices.length : 0,
    factor,
    low: lower.div(factor).toSignificantDigits(shownDigits, Decimal.ROUND_DOWN).toFixed(),
    high: higher.mul(factor).toSignificantDigits(shownDigits, Decimal.ROUND_UP).toFixed(),
  };
}

/** Why a quote at this rate is not ranked; null if it is. */
export function outsideBand(rate: string, band: Band): RateQuote['unranked'] {
  if (band === null) return null;
  if (new Money(rate).gt(band.high)) return 'above_band';
  return new Money(rate).lt(band.low) ? 'below_band' : null;
}
