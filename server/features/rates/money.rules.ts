import { Decimal } from 'decimal.js';
import { plainDecimal } from '../../amounts.rules.js';

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

/** receiveAmount less the mean shortfall (a share, `0.0012`), rounded down; unchanged if there is no record. */
export function expectedReceive(
  receiveAmount: string,
  meanShortfall: string | null,
  decimals: number,
): string {
  if (meanShortfall === null) return plainDecimal(receiveAmount);
  const share = Decimal.max(0, new Money(1).sub(meanShortfall));
  return roundPayout(new Money(receiveAmount).mul(share), decimals).toFixed();
}
