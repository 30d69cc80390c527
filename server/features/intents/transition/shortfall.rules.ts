import { Decimal } from 'decimal.js';

/** Enough for a quotient of two ratios of amounts of 40 digits each to be exact to the part per billion. */
const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP });
const wholePpb = 1_000_000_000;

export interface ShortfallInput {
  amountIn: string;
  amountOut: string;
  /** What was quoted. An estimate of ours is no promise of the anchor, so it gives no shortfall. */
  quote: { tier: 'anchor' | 'estimate'; sellAmount: string; receiveAmount: string } | null;
}

/**
 * max(0, 1 − (amount_out / amount_in) / (quoted receive / quoted sell)) in parts per 10⁹, rounded half up; null
 * without a quote of the anchor's own, or where an amount is zero.
 */
export function shortfallPpb({ amountIn, amountOut, quote }: ShortfallInput): number | null {
  if (quote?.tier !== 'anchor') return null;
  const paidIn = new Exact(amountIn);
  const promised = new Exact(quote.receiveAmount);
  if (paidIn.isZero() || promised.isZero() || new Exact(quote.sellAmount).isZero()) return null;
  // One division, so that a payout exactly as promised is exactly 0.
  const kept = new Exact(amountOut).times(quote.sellAmount).div(paidIn.times(promised));
  const ppb = new Exact(1).minus(kept).times(wholePpb).toDecimalPlaces(0).toNumber();
  return Math.min(wholePpb, Math.max(0, ppb));
}
