import { Decimal } from 'decimal.js';
import { minorUnitsOf } from '../contract/schemas/corridors.js';

/** The normal form of an amount, price or share: no trailing zeros, no exponent. `100.50` → `100.5`. */
export function plainDecimal(value: Decimal | string): string {
  return new Decimal(value).toFixed();
}

/**
 * A fiat amount with the minor units of its currency: `152150.4` with 2 places is `152150.40`. Further places, which an
 * anchor may give, are kept.
 */
export function fiatAmount(value: Decimal | string, minorUnits: number): string {
  const amount = new Decimal(value);
  return amount.toFixed(Math.max(minorUnits, amount.decimalPlaces()));
}

/** The minor units of a fiat asset as SEP-38 writes it, `iso4217:NGN`; 2 for a currency that ISO 4217 does not list. */
export function minorUnitsOfAsset(asset: string): number {
  return minorUnitsOf(asset.split(':')[1] ?? '') ?? 2;
}

/** Whether an amount is outside the limits of a corridor. */
export function isOutOfRange(amount: string, limits: { min: string; max: string }): boolean {
  const value = new Decimal(amount);
  return value.lt(limits.min) || value.gt(limits.max);
}
