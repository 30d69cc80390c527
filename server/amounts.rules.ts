import { Decimal } from 'decimal.js';

/** The normal form of an amount, price or share: no trailing zeros, no exponent. `100.50` → `100.5`. */
export function plainDecimal(value: Decimal | string): string {
  return new Decimal(value).toFixed();
}

/** Whether an amount is outside the limits of a corridor. */
export function isOutOfRange(amount: string, limits: { min: string; max: string }): boolean {
  const value = new Decimal(amount);
  return value.lt(limits.min) || value.gt(limits.max);
}
