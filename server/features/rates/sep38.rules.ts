import type { Decimal } from 'decimal.js';
import { asObject, type Refused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { isAsset, type Read, readAmount, unreadable } from '../../../contract/anchor-documents/values.js';
import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { Money, stablecoinPlaces } from './money.rules.js';
import type { AskedFor } from './question.rules.js';

/** The contexts allowed on GET /price: `sep24` is only for firm quotes. */
export type Sep38Context = 'sep6' | 'sep31';

/** A price as the anchor gave it, with normalised decimals; the formulas of SEP-38 hold within printed precision. */
export interface Sep38Price {
  /** Null if an older dialect has none. */
  price: string | null;
  totalPrice: string | null;
  sellAmount: string;
  buyAmount: string;
  fee: { total: string; asset: string } | null;
  context: Sep38Context;
}

/** SEP-38 §Price: `context` is sep6 or sep31; an anchor that only serves businesses accepts only the latter. */
export function contextFor(endpoints: AnchorEndpoints): Sep38Context {
  const businessOnly =
    endpoints.directPaymentServer !== null &&
    endpoints.transferServerSep6 === null &&
    endpoints.transferServerSep24 === null;
  return businessOnly ? 'sep31' : 'sep6';
}

/**
 * The address of GET /price (SEP-38 §Price): with `sell_amount` for this much stablecoin, with `buy_amount` for this
 * much fiat.
 */
export function priceUrl(
  quoteServer: string,
  corridor: Corridor,
  asked: AskedFor & { deliveryMethod: string | undefined; context: Sep38Context },
): string {
  const query = new URLSearchParams({
    sell_asset: corridor.sellAsset,
    buy_asset: corridor.buyAsset,
    ...(asked.receive === undefined ? { sell_amount: asked.amount } : { buy_amount: asked.receive }),
    context: asked.context,
  });
  if (asked.deliveryMethod !== undefined) query.set('buy_delivery_method', asked.deliveryMethod);
  // An anchor that lists no countries refuses all of them, so the country is sent only if the corridor depends on it.
  if (corridor.countryMatters && corridor.country !== null) query.set('country_code', corridor.country);
  return `${quoteServer}/price?${query}`;
}

/** An amount with more integer digits than 15 cannot be a payment (the largest Stellar balance has 12). */
const bound = '1e15';

/**
 * Reads the answer of GET /price, in the current form or an older one: `total_price` and `fee` were added later, and some
 * repeat the pair. Refused is anything but a price of exactly this pair: what cannot be read, enormous numbers, another
 * pair, a fee that eats the amount, or numbers that contradict each other beyond what rounding explains.
 */
export function readPrice(json: unknown, corridor: Corridor, context: Sep38Context): Sep38Price | Refused {
  const raw = asObject(json);
  if (raw === null) return { refused: 'it is no JSON object' };
  const { sellAsset, buyAsset } = corridor;
  const rawFee = asObject(raw.fee);
  const sell = positive(raw.sell_amount);
  const buy = positive(raw.buy_amount);
  const price = positive(raw.price);
  const totalPrice = positive(raw.total_price);
  const feeTotal = bounded(rawFee?.total);
  if (sell === null || sell === unreadable) return { refused: 'sell_amount is no amount' };
  if (buy === null || buy === unreadable) return { refused: 'buy_amount is no amount' };
  if (price === unreadable) return { refused: 'price is no price' };
  if (totalPrice === unreadable) return { refused: 'total_price is no price' };
  if (!isPair(raw.sell_asset, sellAsset)) return { refused: 'sell_asset is another asset' };
  if (!isPair(raw.buy_asset, buyAsset)) return { refused: 'buy_asset is another asset' };
  if (rawFee === null && raw.fee !== null && raw.fee !== undefined) return { refused: 'fee is no object' };
  if (feeTotal === unreadable) return { refused: 'fee.total is no amount' };
  const feeAsset = [sellAsset, buyAsset].find(
    (asset) => isText(rawFee?.asset) && isAsset(rawFee.asset, asset),
  );
  if (feeTotal !== null && feeAsset === undefined)
    return { refused: 'fee.asset is neither asset of the pair' };
  const fee = feeTotal === null || feeAsset === undefined ? null : { total: feeTotal, asset: feeAsset };
  const isSellFee = fee?.asset === sellAsset;
  if (fee !== null && isSellFee && new Money(fee.total).gte(sell))
    return { refused: 'fee.total eats the amount' };
  const printed: PrintedPrice = {
    totalPrice: totalPrice === null ? undefined : String(raw.total_price).trim(),
    price: price === null ? undefined : String(raw.price).trim(),
    sellAmount: sell,
    buyAmount: buy,
    fee: fee === null ? undefined : { total: fee.total, side: isSellFee ? 'sell' : 'buy' },
  };
  if (!formulasHold(printed, corridor.payoutDecimals))
    return { refused: 'the amounts, the prices and the fee contradict each other' };
  return { price, totalPrice, sellAmount: sell, buyAmount: buy, fee, context };
}

function bounded(value: unknown): Read<string> {
  const amount = readAmount(value);
  return typeof amount === 'string' && new Money(amount).gte(bound) ? unreadable : amount;
}

function positive(value: unknown): Read<string> {
  const amount = bounded(value);
  return amount === '0' ? unreadable : amount;
}

function isPair(named: unknown, expected: string): boolean {
  return named === undefined || named === null || (isText(named) && isAsset(named, expected));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/**
 * The meaning of a status other than 200. SEP-38 has no error codes, only 400 with a text for people, and 403. An anchor
 * that was asked for a `buy_amount` and demands a `sell_amount` has not implemented the former.
 */
export function reasonOfStatus(status: number, body: string, asked?: AskedFor): UnavailableReason {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_served';
  if (status === 429) return 'busy';
  if (status !== 400 && status !== 422) return 'error';
  const text = body.slice(0, 500).toLowerCase();
  if (asked?.receive !== undefined && demandsSellAmount(text)) return 'receive_unsupported';
  if (/amount|minimum|maximum|limit|small|large/.test(text)) return 'refused_amount';
  return /asset|pair|context|delivery|country|unsupported/.test(text) ? 'not_served' : 'refused_amount';
}

function demandsSellAmount(text: string): boolean {
  return (
    /sell.?amount\b.{0,20}\b(required|missing|mandatory|undefined|null|blank|empty)\b/.test(text) ||
    /\b(required|requires|missing|expected)\b.{0,20}sell.?amount/.test(text) ||
    /buy.?amount\b.{0,20}\b(not (supported|allowed|accepted|implemented)|unsupported|unknown|unexpected)\b/.test(
      text,
    ) ||
    /\b(unsupported|unknown|unexpected|unrecogni[sz]ed)\b.{0,20}buy.?amount/.test(text)
  );
}

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
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
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
