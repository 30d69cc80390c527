import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { CostUnavailable } from '../../../contract/schemas/rates.js';
import { Money } from './money.rules.js';

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

const currency = z.string().regex(/^[A-Z]{3}$/);
const rate = z
  .union([z.number().positive().finite(), z.string().regex(/^\d{1,15}(\.\d{1,20})?$/)])
  .transform((value) => new Money(value))
  .refine((value) => value.gt('1e-12') && value.lt('1e12'));
const table = z.object({
  base: currency,
  date: z.string().max(40),
  rates: z.record(z.string(), z.unknown()),
});

/** Reads `{base, date, rates}`; undefined for anything else. Entries that are not a positive rate are left out. */
export function readFxTable(json: unknown): FxTable | undefined {
  const parsed = table.safeParse(json);
  if (!parsed.success) return undefined;
  const { base, date, rates } = parsed.data;
  const asOfMs = readDate(date);
  if (asOfMs === undefined) return undefined;
  const known = Object.entries(rates).flatMap(([code, value]) => {
    const read = rate.safeParse(value);
    return currency.safeParse(code).success && read.success ? [[code, read.data] as const] : [];
  });
  return { base, date, asOfMs, rates: new Map([...known, [base, new Money(1)] as const]) };
}

const dayMs = 86_400_000;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** A day is read as its end in UTC; an instant without an offset is in UTC. */
function readDate(text: string): number | undefined {
  if (dayPattern.test(text)) return valid(Date.parse(`${text}T23:59:59.999Z`));
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return undefined;
  return valid(Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`));
}

function valid(epochMs: number): number | undefined {
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

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
