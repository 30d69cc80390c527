import { Decimal } from 'decimal.js';
import type { ErrorDetail } from '../../../contract/errors.js';
import type { CreateIntentBody } from '../../../contract/schemas/intents.js';
import { isSmallOrder, parsePublicKey } from '../../../contract/verification/strkey.js';

/** Until when the payment may be made, where the wallet does not say; never part of the hash. */
export const defaultLifetimeMs = 24 * 3_600_000;
export const maxLifetimeMs = 30 * 24 * 3_600_000;

/** What the form alone does not show of the terms: a deadline that is no use, a key that nobody owns. */
export function termFaults(body: CreateIntentBody, nowMs: number): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (isSmallOrder(parsePublicKey(body.account).key)) {
    faults.push({ path: 'body.account', message: 'is a small-order key, under which anyone can sign' });
  }
  if (body.expiresAt !== undefined) {
    const leftMs = Date.parse(body.expiresAt) - nowMs;
    // Not a number for a date that does not exist, such as the 31st of February.
    if (!(leftMs > 0)) faults.push({ path: 'body.expiresAt', message: 'must be in the future' });
    else if (leftMs > maxLifetimeMs)
      faults.push({ path: 'body.expiresAt', message: 'must be at most 30 days ahead' });
  }
  return faults;
}

/** Whether `minReceive` has more places than the currency is paid out in. */
export function minReceiveFaults(minReceive: string | undefined, payoutDecimals: number): ErrorDetail[] {
  if (minReceive === undefined || new Decimal(minReceive).decimalPlaces() <= payoutDecimals) return [];
  return [
    { path: 'body.minReceive', message: `must have at most ${payoutDecimals} places in this currency` },
  ];
}

export function isOutside(amount: string, limits: { min: string; max: string }): boolean {
  const value = new Decimal(amount);
  return value.lt(limits.min) || value.gt(limits.max);
}

interface QuotedAmounts {
  sellAmount: string;
  receiveAmount: string;
}

/** Whether the quote, brought to the intent's amount where the anchor quoted another, pays out less than the minimum. */
export function paysLess(quote: QuotedAmounts, sellAmount: string, minReceive: string): boolean {
  const Exact = Decimal.clone({ precision: 100 });
  return new Exact(quote.receiveAmount).times(sellAmount).lt(new Exact(minReceive).times(quote.sellAmount));
}

/** The one spelling of an amount: no trailing zeros, no exponent. */
export function plainAmount(amount: string): string {
  return new Decimal(amount).toFixed();
}
