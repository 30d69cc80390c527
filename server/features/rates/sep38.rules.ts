import type { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import { plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
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

// Text is checked before any arithmetic, so exponents and endless digits never reach it. An amount with more than 15
// integer digits cannot be a payment (the largest Stellar balance has 12).
const decimal = z.string().regex(/^\d{1,15}(\.\d{1,20})?$/);
const positive = decimal.refine((text) => /[1-9]/.test(text));

/** The current form of the answer and older ones: `total_price` and `fee` were added later, and some repeat the pair. */
const priceAnswer = z.object({
  total_price: positive.optional(),
  price: positive.optional(),
  sell_amount: positive,
  buy_amount: positive,
  fee: z.object({ total: decimal, asset: z.string().max(100) }).optional(),
  sell_asset: z.string().max(100).optional(),
  buy_asset: z.string().max(100).optional(),
});

/**
 * Reads the answer of GET /price. Undefined for anything but a valid price of exactly this pair: wrong types, signs,
 * exponents, enormous numbers, another pair, a fee that eats the amount, or numbers that contradict each other beyond
 * what rounding explains.
 */
export function readPrice(json: unknown, corridor: Corridor, context: Sep38Context): Sep38Price | undefined {
  const parsed = priceAnswer.safeParse(json);
  if (!parsed.success) return undefined;
  const { total_price, price, sell_amount, buy_amount, fee, sell_asset, buy_asset } = parsed.data;
  if (sell_asset !== undefined && sell_asset !== corridor.sellAsset) return undefined;
  if (buy_asset !== undefined && buy_asset !== corridor.buyAsset) return undefined;
  if (fee !== undefined && ![corridor.sellAsset, corridor.buyAsset].includes(fee.asset)) return undefined;
  if (fee?.asset === corridor.sellAsset && new Money(fee.total).gte(sell_amount)) return undefined;
  const printed: PrintedPrice = {
    totalPrice: total_price,
    price,
    sellAmount: sell_amount,
    buyAmount: buy_amount,
    fee: fee && { total: fee.total, side: fee.asset === corridor.sellAsset ? 'sell' : 'buy' },
  };
  if (!formulasHold(printed, corridor.payoutDecimals)) return undefined;
  return {
    price: price === undefined ? null : plainDecimal(price),
    totalPrice: total_price === undefined ? null : plainDecimal(total_price),
    sellAmount: plainDecimal(sell_amount),
    buyAmount: plainDecimal(buy_amount),
    fee: fee === undefined ? null : { total: plainDecimal(fee.total), asset: fee.asset },
    context,
  };
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
