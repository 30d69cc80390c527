import { Decimal } from 'decimal.js';
import { utcDay } from '../../utc-day.rules.js';
import type { DayCounts, Tier } from './counts.rules.js';

/** The data of a paid-out withdrawal that is compared with quotes, as the anchor reported it. */
export interface Payout {
  paidAt: Date;
  /** Amount in stablecoin. */
  amountIn: string;
  /** Amount in the currency of the corridor. */
  amountOut: string;
}

/**
 * How far the rate of each payout lies from the mean quote of its day, in per cent; one figure per payout that can be
 * compared. A fixed fee weighs more on small amounts, so only payouts between half and twice the reference amount count,
 * and only on days with quotes.
 */
export function distancesFromQuotes(
  payouts: readonly Payout[],
  days: readonly DayCounts[],
  referenceAmount: string,
): Decimal[] {
  const means = new Map(days.flatMap(({ day, counts }) => meanRateOf(counts.quotes, day)));
  const [least, most] = [new Decimal(referenceAmount).div(2), new Decimal(referenceAmount).mul(2)];
  return payouts.flatMap(({ paidAt, amountIn, amountOut }) => {
    const mean = means.get(utcDay(paidAt));
    const amount = new Decimal(amountIn);
    if (mean === undefined || amount.lt(least) || amount.gt(most)) return [];
    return [new Decimal(amountOut).div(amount).div(mean).sub(1).mul(100)];
  });
}

/** The mean rate of the anchor's own prices of a day, or of the estimates if there are none. */
function meanRateOf(quotes: DayCounts['counts']['quotes'], day: string): [string, Decimal][] {
  const tiers: Tier[] = ['anchor', 'estimate'];
  const counted = tiers.map((tier) => quotes[tier]).find((each) => (each?.rateMicros ?? 0) > 0);
  return counted === undefined ? [] : [[day, new Decimal(counted.rateMicros).div(counted.quotes).div(1e6)]];
}
