import type { Decimal } from 'decimal.js';
import { asObject, isRefused, type Refused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { isAsset, type Read, readAmount, unreadable } from '../../../contract/anchor-documents/values.js';
import type { RateQuote, UnavailableReason } from '../../../contract/schemas/rates.js';
import { fiatAmount, plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import {
  type AskedBy,
  Money,
  offeredAmounts,
  type QuoteResult,
  roundFee,
  roundPayout,
  stablecoinPlaces,
  takesTooMuchOrLittle,
} from './offer.rules.js';
import type { AskedFor } from './question.rules.js';

/** The contexts allowed on GET /price: `sep24` is only for firm quotes. */
export type Sep38Context = 'sep6' | 'sep31';

/** SEP-38 §Price: `context` is sep6 or sep31; an anchor that only serves businesses accepts only the latter. */
export function contextFor(endpoints: AnchorEndpoints): Sep38Context {
  const businessOnly =
    endpoints.directPaymentServer !== null &&
    endpoints.transferServerSep6 === null &&
    endpoints.transferServerSep24 === null;
  return businessOnly ? 'sep31' : 'sep6';
}

/**
 * The offer in an answer of GET /price. Amounts that the user receives are rounded down, amounts that the user pays are
 * rounded up. The rate is recomputed from the amounts, since printed prices are rounded and older dialects have none that
 * includes the fee.
 */
export function offerFromPrice(
  json: unknown,
  corridor: Corridor,
  asked: AskedBy,
  context: Sep38Context,
): QuoteResult | Refused {
  const price = readPrice(json, corridor);
  if (isRefused(price)) return price;
  const sell = roundFee(new Money(price.sellAmount), stablecoinPlaces);
  const receive = roundPayout(new Money(price.buyAmount), corridor.payoutDecimals);
  if (receive.isZero()) return { refused: 'buy_amount rounds to nothing' };
  if (takesTooMuchOrLittle(corridor, sell, asked)) return { reason: 'refused_amount' };
  const { fee, ...given } = price;
  const amounts = offeredAmounts(corridor, sell, receive, asked);
  const shownFee = fee === null ? null : toFee(corridor, fee);
  const sep38 = { ...given, context };
  return { offer: { tier: 'anchor', ...amounts, fee: shownFee, sep38, estimate: null } };
}

function toFee(corridor: Corridor, { total, asset }: Fee): Fee {
  if (asset === corridor.sellAsset)
    return { total: plainDecimal(roundFee(new Money(total), stablecoinPlaces)), asset };
  const { payoutDecimals } = corridor;
  return { total: fiatAmount(roundFee(new Money(total), payoutDecimals), payoutDecimals), asset };
}

type Fee = NonNullable<RateQuote['fee']>;

/** A price as the anchor gave it, with normalised decimals. */
type Price = Omit<NonNullable<RateQuote['sep38']>, 'context'> & { fee: Fee | null };

/** An amount with more integer digits than 15 cannot be a payment (the largest Stellar balance has 12). */
const bound = '1e15';

/**
 * Reads the answer of GET /price, in the current form or an older one: `total_price` and `fee` were added later, and some
 * repeat the pair. Refused is anything but a price of exactly this pair: what cannot be read, enormous numbers, another
 * pair, a fee that eats the amount, or numbers that contradict each other beyond what rounding explains.
 */
function readPrice(json: unknown, corridor: Corridor): Price | Refused {
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
  if (fee?.asset === sellAsset && new Money(fee.total).gte(sell))
    return { refused: 'fee.total eats the amount' };
  const read = { price, totalPrice, sellAmount: sell, buyAmount: buy, fee };
  if (!formulasHold(read, raw, corridor))
    return { refused: 'the amounts, the prices and the fee contradict each other' };
  return read;
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
  const demands = /required|requires|missing|mandatory|expected|undefined|null|blank|empty/;
  const refuses =
    /not (supported|allowed|accepted|implemented)|unsupported|unknown|unexpected|unrecogni[sz]ed/;
  return (
    (/sell.?amount/.test(text) && demands.test(text)) || (/buy.?amount/.test(text) && refuses.test(text))
  );
}

/** Relative tolerance for anchors that compute in binary fractions and print the resulting error as digits. */
const binarySlack = '0.000000001';

/** The lowest or the highest numbers from which those of a price may have been rounded. */
type Bounds = Readonly<Record<'sell' | 'buy' | 'price' | 'totalPrice' | 'fee', Decimal>>;

/**
 * Whether the numbers satisfy the formulas of SEP-38 (§Price Formulas), as far as rounding can tell:
 *
 *     sell_amount = total_price × buy_amount
 *     sell_amount − fee = price × buy_amount      (fee in the sold asset)
 *     sell_amount = price × (buy_amount + fee)    (fee in the bought asset)
 *
 * Earlier versions of the standard have neither fee nor total price: there, sell_amount = price × buy_amount. With a
 * total price and no fee, the price is only checked for price × buy_amount ≤ sell_amount, since a fee cannot be negative.
 * All numbers are 0 or more, so each formula is least at the lowest numbers and greatest at the highest.
 */
function formulasHold(read: Price, printed: Readonly<Record<string, unknown>>, corridor: Corridor): boolean {
  const low = boundsOf(read, printed, corridor, -1);
  const high = boundsOf(read, printed, corridor, 1);
  const isAtMost = (formula: (bounds: Bounds) => Decimal) => formula(low).lte(high.sell);
  const holds = (formula: (bounds: Bounds) => Decimal) => isAtMost(formula) && formula(high).gte(low.sell);
  if (read.totalPrice !== null && !holds(({ totalPrice, buy }) => totalPrice.mul(buy))) return false;
  if (read.price === null) return true;
  if (read.fee === null) {
    const check = read.totalPrice === null ? holds : isAtMost;
    return check(({ price, buy }) => price.mul(buy));
  }
  if (read.fee.asset === corridor.sellAsset) return holds(({ price, buy, fee }) => price.mul(buy).add(fee));
  return holds(({ price, buy, fee }) => price.mul(buy.add(fee)));
}

/**
 * A price may be rounded in either direction, and by any method, at its last printed place. Amounts may be padded with
 * zeros, whatever they were rounded to; they are rounded to the places of their asset, and no further than to whole units
 * of fiat or hundredths of stablecoin.
 */
function boundsOf(
  read: Price,
  printed: Readonly<Record<string, unknown>>,
  { sellAsset, payoutDecimals }: Corridor,
  sign: 1 | -1,
): Bounds {
  const bound = (text: string | null, places: number) => {
    const value = new Money(text ?? 0);
    const slack = new Money(10).pow(-places).add(value.mul(binarySlack));
    return Money.max(0, value.add(slack.mul(sign)));
  };
  const placesOf = (amount: string) => new Money(amount).decimalPlaces();
  const sold = (amount: string) => bound(amount, Math.max(2, Math.min(stablecoinPlaces, placesOf(amount))));
  const paid = (amount: string) => bound(amount, Math.min(payoutDecimals, placesOf(amount)));
  const { fee } = read;
  return {
    sell: sold(read.sellAmount),
    buy: paid(read.buyAmount),
    price: bound(read.price, printedPlaces(printed.price)),
    totalPrice: bound(read.totalPrice, printedPlaces(printed.total_price)),
    fee: (fee?.asset === sellAsset ? sold : paid)(fee?.total ?? '0'),
  };
}

function printedPlaces(number: unknown): number {
  const [digits = '', exponent = '0'] = String(number).trim().toLowerCase().split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
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
