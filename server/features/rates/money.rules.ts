import { Decimal } from 'decimal.js';

/** Decimals of this feature: precise enough that no product or quotient of amounts loses a visible digit. */
export const Money = Decimal.clone({
  precision: 64,
  rounding: Decimal.ROUND_DOWN,
  toExpNeg: -64,
  toExpPos: 64,
});

/** Decimal places of an amount on Stellar. The smallest unit is one stroop. */
export const stablecoinPlaces = 7;
const rateDigits = 10;

/** Amounts that a user receives are rounded down. */
export function roundPayout(value: Decimal, decimals: number): Decimal {
  return value.toDecimalPlaces(decimals, Decimal.ROUND_DOWN);
}

/** Amounts that a user pays are rounded up. */
export function roundFee(value: Decimal, decimals: number): Decimal {
  return value.toDecimalPlaces(decimals, Decimal.ROUND_UP);
}

/** Fiat per one stablecoin, all fees included, to ten significant digits, rounded down. */
export function effectiveRate(receiveAmount: Decimal, sellAmount: Decimal): string {
  return receiveAmount.div(sellAmount).toSignificantDigits(rateDigits, Decimal.ROUND_DOWN).toFixed();
}
