import { Decimal } from 'decimal.js';
import { asObject, type Refused } from '../../../contract/anchor-documents/json.js';
import {
  instantMs,
  isAsset,
  orAbsent,
  readAmount,
  unreadable,
} from '../../../contract/anchor-documents/values.js';
import type { CostUnavailable, RateQuote } from '../../../contract/schemas/rates.js';
import { plainDecimal } from '../../amounts.rules.js';
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

/**
 * An estimate: (amount − fee) × FX, where the fee is the larger of the minimum and fixed + percent (SEP-24 §Info;
 * `fee_percent` is in percentage points, whatever its printed formula says). The fee is rounded up, the payout down. If a
 * payout is asked for, the amount is the least that reaches it.
 */
export function offerFromFee(
  corridor: Corridor,
  asked: AskedBy,
  schedule: FeeSchedule,
  fx: FxRate,
): QuoteResult {
  const { min, max, ...terms } = schedule;
  const sell =
    asked.receive === undefined ? new Money(asked.amount) : leastAmountFor(asked.receive, schedule, fx);
  if (sell === undefined || takesTooMuchOrLittle(corridor, sell, asked)) return { reason: 'refused_amount' };
  const fitsAnchor = (min === null || sell.gte(min)) && (max === null || sell.lte(max));
  const computed = sell.mul(terms.feePercent).div(100).add(terms.feeFixed);
  const fee = roundFee(Money.max(computed, terms.feeMinimum), stablecoinPlaces);
  const receive = roundPayout(sell.sub(fee).mul(fx.rate), corridor.payoutDecimals);
  if (!fitsAnchor || receive.lte(0)) return { reason: 'refused_amount' };
  return {
    offer: {
      tier: 'estimate',
      ...offeredAmounts(corridor, sell, receive, asked),
      fee: { total: plainDecimal(fee), asset: corridor.sellAsset },
      sep38: null,
      estimate: { ...terms, fxRate: fx.rate, fxBase: fx.base, fxDate: fx.date },
    },
  };
}

/**
 * The least amount, in stroops, whose payout by this fee reaches `receive`; undefined if the fee takes everything.
 * The fee is rounded up to a stroop, so the net amount is a whole number of stroops too, and never falls as the amount
 * grows: net = min(⌊amount × (1 − percent) − fixed⌋, amount − minimum). Both bounds are solved for the net amount that the
 * payout needs.
 */
function leastAmountFor(receive: string, schedule: FeeSchedule, fx: FxRate): Decimal | undefined {
  const keptPercent = new Money(100).sub(schedule.feePercent);
  if (keptPercent.lte(0)) return undefined;
  const net = roundFee(new Money(receive).div(fx.rate), stablecoinPlaces);
  const byPercent = roundFee(net.add(schedule.feeFixed).mul(100).div(keptPercent), stablecoinPlaces);
  const byMinimum = net.add(roundFee(new Money(schedule.feeMinimum), stablecoinPlaces));
  return Money.max(byPercent, byMinimum);
}

/** What an anchor charges for a withdrawal, in stablecoin, with normalised decimals. */
export interface FeeSchedule
  extends Omit<NonNullable<RateQuote['estimate']>, 'fxRate' | 'fxBase' | 'fxDate'> {
  min: string | null;
  max: string | null;
}

/** The reference table from FX_URL: units of each currency per one `base`, as of `date`. */
export interface FxTable {
  base: string;
  /** The date as the reference wrote it: a day or an instant. */
  date: string;
  asOfMs: number;
  rates: ReadonlyMap<string, Decimal>;
}

export interface FxRate {
  /** Fiat per one unit of `base`. */
  rate: string;
  base: string;
  date: string;
}

/** The reference rate of a corridor, or why there is none. */
export type FxReading = FxRate | { missing: CostUnavailable };

const rateDigits = 12;
/** The currency whose value a stablecoin is assumed to have. Other stablecoins have neither an estimate nor a cost. */
const pegs: ReadonlyMap<string, string> = new Map([
  ['USDC', 'USD'],
  ['USDT', 'USD'],
  ['PYUSD', 'USD'],
  ['EURC', 'EUR'],
]);

const currencyCode = /^[A-Z]{3}$/;
const dayMs = 86_400_000;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The value in `currency` of one unit of the stablecoin's peg, converted through the base if necessary, rounded down to
 * twelve significant digits. Missing for a stablecoin without a peg, a currency that is not in the table, and a table
 * that is older than `maxAgeMs` or more than a day in the future.
 */
export function rateFor(
  found: FxTable,
  asset: { code: string; currency: string },
  limits: { nowMs: number; maxAgeMs: number },
): FxReading {
  const peg = pegs.get(asset.code);
  if (peg === undefined) return { missing: 'no_par' };
  const ageMs = limits.nowMs - found.asOfMs;
  // A day is read as its end, so tomorrow ends up to two days from now.
  const mostAheadMs = dayPattern.test(found.date) ? 2 * dayMs : dayMs;
  if (ageMs > limits.maxAgeMs || ageMs < -mostAheadMs) return { missing: 'stale_reference' };
  const perBase = found.rates.get(asset.currency);
  const pegPerBase = found.rates.get(peg);
  if (perBase === undefined || pegPerBase === undefined) return { missing: 'no_reference' };
  const cross = perBase.div(pegPerBase).toSignificantDigits(rateDigits, Decimal.ROUND_DOWN);
  return { rate: cross.toFixed(), base: peg, date: found.date };
}

/** Reads `{base, date, rates}`; undefined for anything else. Entries that are not a positive rate are left out. */
export function readFxTable(json: unknown): FxTable | undefined {
  const { base, date, rates } = asObject(json) ?? {};
  const given = asObject(rates);
  if (typeof base !== 'string' || !currencyCode.test(base) || given === null) return undefined;
  if (typeof date !== 'string' || date.length > 40) return undefined;
  // A day is read as its end in UTC; an instant without an offset is in UTC.
  const asOfMs = instantMs(dayPattern.test(date) ? `${date}T23:59:59.999Z` : date);
  if (asOfMs === null) return undefined;
  const known = Object.entries(given).flatMap(([code, value]) => {
    const rate = new Money(orAbsent(readAmount(value)) ?? 0);
    const isRate = currencyCode.test(code) && rate.gt('1e-12') && rate.lt('1e12');
    return isRate ? [[code, rate] as const] : [];
  });
  return { base, date, asOfMs, rates: new Map([...known, [base, new Money(1)] as const]) };
}

/**
 * Reads GET /info of SEP-24 or SEP-6 for one asset; null where it has no withdrawal of this asset, or publishes no fee. A
 * limit that cannot be read costs only the limit: some anchors write `-1` or nothing for "none".
 */
export function readFeeSchedule(
  json: unknown,
  asset: string,
  source: 'sep24' | 'sep6',
): FeeSchedule | Refused | null {
  const { withdraw } = asObject(json) ?? {};
  // PHP writes an empty list for an object without members.
  if (isEmptyList(withdraw)) return null;
  const withdrawals = asObject(withdraw);
  if (withdrawals === null) return { refused: 'withdraw is no object' };
  const entry = Object.entries(withdrawals).find(([named]) => isAsset(named, asset));
  if (entry === undefined || entry[1] === null || isEmptyList(entry[1])) return null;
  const [named, value] = entry;
  const terms = asObject(value);
  if (terms === null) return { refused: `withdraw.${named} is no object` };
  const fixed = readAmount(terms.fee_fixed);
  const percent = readAmount(terms.fee_percent);
  const minimum = readAmount(terms.fee_minimum);
  // Both absent means "no fee or a complex one" (SEP-24 §Info): unknown, so there is no estimate.
  if (isFalse(terms.enabled) || (fixed === null && percent === null)) return null;
  if (fixed === unreadable) return { refused: `withdraw.${named}.fee_fixed is no amount` };
  if (percent === unreadable) return { refused: `withdraw.${named}.fee_percent is no number` };
  if (minimum === unreadable) return { refused: `withdraw.${named}.fee_minimum is no amount` };
  return {
    source,
    feeFixed: fixed ?? '0',
    feePercent: percent ?? '0',
    feeMinimum: minimum ?? '0',
    min: orAbsent(readAmount(terms.min_amount)),
    max: orAbsent(readAmount(terms.max_amount)),
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isFalse(value: unknown): boolean {
  return value === false || value === 0 || ['false', '0'].includes(String(value).toLowerCase());
}
