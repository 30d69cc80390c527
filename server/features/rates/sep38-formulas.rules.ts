import type { Decimal } from 'decimal.js';
import { Money, stablecoinPlaces } from './money.rules.js';

/** The numbers of a SEP-38 price, as the anchor printed them: how many places it prints says how it rounds. */
export interface PrintedPrice {
  totalPrice: string | undefined;
  price: string | undefined;
  sellAmount: string;
  buyAmount: string;
  fee: { total: string; side: 'sell' | 'buy' } | undefined;
}

/** The range of numbers from which a printed one may have been rounded. */
interface Range {
  low: Decimal;
  high: Decimal;
}

/** Relative tolerance for anchors that compute in binary fractions and print the resulting error as digits. */
const binarySlack = '0.000000001';

/**
 * Whether the numbers satisfy the formulas of SEP-38 (§Price Formulas), as far as rounding can tell:
 *
 *     sell_amount = total_price × buy_amount
 *     sell_amount − fee = price × buy_amount      (fee in the sold asset)
 *     sell_amount = price × (buy_amount + fee)    (fee in the bought asset)
 *
 * Earlier versions of the standard have neither fee nor total price: there, sell_amount = price × buy_amount. With a
 * total price and no fee, the price is only checked for price × buy_amount ≤ sell_amount, since a fee cannot be negative.
 */
export function formulasHold(printed: PrintedPrice, payoutDecimals: number): boolean {
  const { totalPrice, price, fee } = printed;
  const sell = amountRange(printed.sellAmount, 'sell', payoutDecimals);
  const buy = amountRange(printed.buyAmount, 'buy', payoutDecimals);
  if (totalPrice !== undefined && !meet(sell, times(priceRange(totalPrice), buy))) return false;
  if (price === undefined) return true;
  const base = priceRange(price);
  if (fee === undefined) {
    const product = times(base, buy);
    return totalPrice === undefined ? meet(sell, product) : product.low.lte(sell.high);
  }
  const feeRange = amountRange(fee.total, fee.side, payoutDecimals);
  if (fee.side === 'sell') return meet(sell, plus(times(base, buy), feeRange));
  return meet(sell, times(base, plus(buy, feeRange)));
}

/** A price may be rounded in either direction, and by any method, at its last printed place. */
function priceRange(text: string): Range {
  return around(text, new Money(10).pow(-printedPlaces(text)));
}

/**
 * Amounts may be padded with zeros to seven places, whatever they were rounded to, so trailing zeros do not count. They
 * may be rounded to the places of their asset, and no further than to whole units of fiat or hundredths of stablecoin.
 */
function amountRange(text: string, side: 'sell' | 'buy', payoutDecimals: number): Range {
  const significant = new Money(text).decimalPlaces();
  const [fewest, most] = side === 'sell' ? [2, stablecoinPlaces] : [0, payoutDecimals];
  const places = Math.min(most, Math.max(fewest, significant));
  return around(text, new Money(10).pow(-places));
}

function around(text: string, unit: Decimal): Range {
  const value = new Money(text);
  const slack = unit.add(value.mul(binarySlack));
  return { low: Money.max(0, value.sub(slack)), high: value.add(slack) };
}

function printedPlaces(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** All numbers here are 0 or more, so the bounds of the product are the products of the bounds. */
function times(a: Range, b: Range): Range {
  return { low: a.low.mul(b.low), high: a.high.mul(b.high) };
}

function plus(a: Range, b: Range): Range {
  return { low: a.low.add(b.low), high: a.high.add(b.high) };
}

function meet(a: Range, b: Range): boolean {
  return a.low.lte(b.high) && b.low.lte(a.high);
}
