import { Decimal } from 'decimal.js';
import { Amount } from './rates.js';

/** Places of a Stellar amount. */
export const stellarPlaces = 7;

export interface PriceTerms {
  /** Fiat per stablecoin before the fee. */
  rate: Decimal;
  feePercent: string;
  feeFixed: string;
  /** Decimal places of the payout. */
  payoutPlaces: number;
  lot: string | null;
}

/** One price; the fee is in the stablecoin and part of `sell`. */
export interface Priced {
  sell: Decimal;
  buy: Decimal;
  fee: Decimal;
}

function feeOf(sell: Decimal, terms: PriceTerms): Decimal {
  return sell
    .mul(terms.feePercent)
    .div(100)
    .add(terms.feeFixed)
    .toDecimalPlaces(stellarPlaces, Decimal.ROUND_UP);
}

function inLots(sell: Decimal, lot: string | null): Decimal {
  return lot === null ? sell : sell.div(lot).ceil().mul(lot);
}

/** The payout for this much stablecoin, rounded down; null where the fee eats it. */
export function priceForSell(asked: Decimal, terms: PriceTerms): Priced | null {
  const sell = inLots(asked, terms.lot);
  const fee = feeOf(sell, terms);
  const buy = sell.sub(fee).mul(terms.rate).toDecimalPlaces(terms.payoutPlaces, Decimal.ROUND_DOWN);
  return buy.gt(0) ? { sell, buy, fee } : null;
}

/** The stablecoin it takes to pay out this much fiat, rounded up. */
export function priceForBuy(buy: Decimal, terms: PriceTerms): Priced | null {
  const net = buy.div(terms.rate).toDecimalPlaces(stellarPlaces, Decimal.ROUND_UP);
  const kept = new Amount(100).sub(terms.feePercent).div(100);
  const sell = net.add(terms.feeFixed).div(kept).toDecimalPlaces(stellarPlaces, Decimal.ROUND_UP);
  if (terms.lot !== null) return priceForSell(sell, terms);
  return buy.gt(0) ? { sell, buy, fee: feeOf(sell, terms) } : null;
}

/** Sell units per buy unit to ten places, rounded down, as the Anchor Platform prints prices. */
export function ratio(sell: Decimal, buy: Decimal): string {
  return sell.div(buy).toDecimalPlaces(10, Decimal.ROUND_DOWN).toFixed();
}
