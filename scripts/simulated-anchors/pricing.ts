import { createHash } from 'node:crypto';
import { Decimal } from 'decimal.js';
import world from './world.json' with { type: 'json' };

/** Decimals with enough precision, unaffected by settings elsewhere. */
export const Amount = Decimal.clone({ precision: 40 });

/** Fiat per US dollar. Round, plausible figures for the simulation, not real market rates. */
export const baseRates: Readonly<Record<string, string>> = world.baseRates;

const dayMs = 86_400_000;
const tenMinutesMs = 600_000;
const fiveMinutesMs = 300_000;

/** A whole number from -span to span that depends on the label alone. */
function knot(label: string, span: number): number {
  const word = createHash('sha256').update(label).digest().readUInt32BE(0);
  return (word % (2 * span + 1)) - span;
}

/** A slow drift in parts per million: straight lines between knots `periodMs` apart, each at most `spanPpm` from 0. */
export function driftPpm(label: string, epochMs: number, periodMs: number, spanPpm: number): number {
  const step = Math.floor(epochMs / periodMs);
  const from = knot(`${label}|${step}`, spanPpm);
  const to = knot(`${label}|${step + 1}`, spanPpm);
  return from + Math.trunc(((to - from) * (epochMs - step * periodMs)) / periodMs);
}

function moved(rate: Decimal, ppm: number): Decimal {
  return rate.mul(1_000_000 + ppm).div(1_000_000);
}

/** The simulated market: fiat per dollar at that instant; throws for a currency without a base rate. */
export function marketRate(currency: string, epochMs: number): Decimal {
  const base = baseRates[currency];
  if (base === undefined) throw new Error(`no simulated base rate for ${currency}`);
  const slow = driftPpm(`fairlead|${currency}|day`, epochMs, dayMs, 6_000);
  const quick = driftPpm(`fairlead|${currency}|minutes`, epochMs, tenMinutesMs, 800);
  return moved(new Amount(base), slow + quick).toSignificantDigits(10);
}

/** What an anchor pays per stablecoin before its fee: the market less its margin, with a small drift of its own. */
export function anchorRate(
  market: Decimal,
  anchor: { id: string; marginPercent: string; currency: string; epochMs: number },
): Decimal {
  const label = `fairlead|${anchor.id}|${anchor.currency}`;
  const own = driftPpm(label, anchor.epochMs, fiveMinutesMs, 1_200);
  const margin = new Amount(100).sub(anchor.marginPercent).div(100);
  return moved(market.mul(margin), own).toSignificantDigits(14, Decimal.ROUND_DOWN);
}

/** A Stellar amount: a decimal of at most seven places. */
export const amountForm = /^(0|[1-9]\d{0,11})(\.\d{1,7})?$/;

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

/** The payout for this much stablecoin, rounded down; null where the fee is larger. */
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
