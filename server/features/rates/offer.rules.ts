import { Decimal } from 'decimal.js';
import type { RateQuote, UnavailableReason } from '../../../contract/schemas/rates.js';
import { fiatAmount, isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AskedFor } from './question.rules.js';

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
function effectiveRate(receiveAmount: Decimal, sellAmount: Decimal): string {
  return receiveAmount.div(sellAmount).toSignificantDigits(rateDigits, Decimal.ROUND_DOWN).toFixed();
}

/** What an anchor offers, before its name and record are added. */
export type Offer = Pick<
  RateQuote,
  | 'tier'
  | 'sellAmount'
  | 'receiveAmount'
  | 'adjusted'
  | 'rate'
  | 'fee'
  | 'deliveryMethod'
  | 'sep38'
  | 'estimate'
>;

/** The result of asking one anchor: an offer, or the reason why there is none. */
export type QuoteResult = { offer: Offer } | { reason: UnavailableReason };

/** An amount that is asked for by the delivery method that the offer shows. */
export type AskedBy = AskedFor & { deliveryMethod: string | null };

/** Checks the limits of the corridor if the anchor names the amount. An amount that the client names was checked before. */
export function takesTooMuchOrLittle(corridor: Corridor, sell: Decimal, asked: AskedFor): boolean {
  return asked.receive !== undefined && isOutOfRange(sell.toFixed(), corridor);
}

export function offeredAmounts(corridor: Corridor, sell: Decimal, receive: Decimal, asked: AskedBy) {
  return {
    sellAmount: plainDecimal(sell),
    receiveAmount: fiatAmount(receive, corridor.payoutDecimals),
    adjusted: asked.receive === undefined ? !sell.eq(asked.amount) : !receive.eq(asked.receive),
    rate: effectiveRate(receive, sell),
    deliveryMethod: asked.deliveryMethod,
  };
}
