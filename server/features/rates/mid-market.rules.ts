import { Decimal } from 'decimal.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';
import { plainDecimal } from '../../amounts.rules.js';
import type { FxReading } from './estimate.rules.js';
import type { Offer } from './offer.rules.js';
import { Money, stablecoinPlaces } from './offer.rules.js';

/** The reference exchange rate of a corridor, and the name that answers give it. */
export interface MidMarket {
  reading: FxReading;
  source: string;
}

const percentPlaces = 2;

/**
 * What a person loses against the mid-market, as the World Bank's comparison of remittance prices computes it: the fee
 * and the margin in the exchange rate together, as a share of the amount sold. The payout already contains both, so they
 * need not be separated: if V is the value of the amount sold at the reference rate, the cost is V − receiveAmount. It is
 * negative if an anchor pays more than the mid-market. For an estimate, the reference rate that it was made with is used.
 */
export function costOf(offer: Offer, market: MidMarket): Pick<RateQuote, 'cost' | 'costUnavailable'> {
  const { estimate } = offer;
  const reading = estimate === null ? market.reading : { rate: estimate.fxRate, date: estimate.fxDate };
  if ('missing' in reading) return { cost: null, costUnavailable: reading.missing };
  const value = new Money(offer.sellAmount).mul(reading.rate);
  const lost = value.sub(offer.receiveAmount);
  return {
    cost: {
      percent: rounded(lost.mul(100).div(value), percentPlaces).toFixed(percentPlaces),
      amount: plainDecimal(rounded(lost.div(reading.rate), stablecoinPlaces)),
      reference: { rate: reading.rate, source: market.source, date: reading.date },
    },
    costUnavailable: null,
  };
}

/** Rounds to the nearest: payouts are rounded down to a coin, so rounding up here would turn a fee of 2.5 % into 2.51. */
function rounded(value: Decimal, places: number): Decimal {
  return value.toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
}

/** The range of rates in which quotes of a corridor are ranked; null if there is nothing to compare them with. */
export type Band = RatesAnswer['band'];

const shownDigits = 10;
/** The fewest anchors whose own prices give a median that no single anchor decides. */
const fewestForMedian = 3;

/**
 * The band around the median of at least three anchors' own prices; with fewer, around the reference rate, unless that is
 * missing or stale. To an even number of prices the reference rate is added, so that half of the anchors cannot decide
 * alone; without one, the band reaches from below the lower to above the higher of the two middle prices, since it is
 * unknown which of them is right. Rounding never narrows the band.
 */
export function bandOf(terms: {
  /** Fiat per stablecoin, all fees included; one per anchor that gives its own price. */
  prices: readonly string[];
  market: FxReading;
  factor: string;
}): Band {
  const { prices, market, factor } = terms;
  const byMedian = prices.length >= fewestForMedian;
  const reference = 'missing' in market ? [] : [market.rate];
  const compared = byMedian ? [...prices, ...(prices.length % 2 === 0 ? reference : [])] : reference;
  const ordered = compared.map((rate) => new Money(rate)).sort((a, b) => a.cmp(b));
  const lower = ordered[Math.floor((ordered.length - 1) / 2)];
  const higher = ordered[Math.floor(ordered.length / 2)];
  if (lower === undefined || higher === undefined) return null;
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
