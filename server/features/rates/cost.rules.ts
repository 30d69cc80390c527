import { Decimal } from 'decimal.js';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import { plainDecimal } from '../../amounts.rules.js';
import type { FxReading } from './fx.rules.js';
import { Money, stablecoinPlaces } from './money.rules.js';
import type { Offer } from './quote.rules.js';

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
