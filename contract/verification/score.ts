import { Decimal } from 'decimal.js';

/**
 * The formula `v1` of a card, with N outcomes, F of them filled, mean shortfall S, median settle time P and speed target T:
 *
 *   score = 100 × W × max(0, 1 − 10·S) × 2^(−P/T)
 *   W     = (2F + z² − z·√(z² + 4F(N − F)/N)) / (2(N + z²))      lower bound of Wilson's 95 % interval (1927)
 *
 * computed in decimals of 34 significant digits, half to even (IEEE 754 decimal128), in exactly this order from left
 * to right, and rounded down to two places once, at the end, so that rounding never favours the anchor. See
 * docs/reputation.md.
 */
const D = Decimal.clone({ precision: 34, rounding: Decimal.ROUND_HALF_EVEN, toExpNeg: -40, toExpPos: 40 });

/** The 97.5 % quantile of the normal distribution. */
const wilsonZ = '1.959963984540054';
const z = new D(wilsonZ);
const zSquared = z.times(z);

/** With fewer outcomes, account-days, or days with outcomes among the last 90 than these there is no score. */
export const leastOutcomes = 30;
export const leastAccountDays = 15;
export const leastDays90 = 7;

/** The inputs of a score, as the card shows them. */
export interface ScoreInputs {
  outcomes: number;
  filled: number;
  accountDays: number;
  days90: number;
  /** Null if no payout's time is known; the anchor is then not penalised for speed. */
  p50SettleSeconds: number | null;
  /** Null if there was no quote to compare payouts with; the anchor is then not penalised for a shortfall. */
  meanShortfall: string | null;
  speedTargetSeconds: number;
}

/** Whether a record is large enough for a score. */
export function hasEnough(record: Pick<ScoreInputs, 'outcomes' | 'accountDays' | 'days90'>): boolean {
  const { outcomes, accountDays, days90 } = record;
  return outcomes >= leastOutcomes && accountDays >= leastAccountDays && days90 >= leastDays90;
}

/**
 * The score that the inputs of a card give: `0.00` to `100.00` with two places, rounded down; null while there is too
 * little to judge. A published card is checked by comparing it with `card.score`.
 */
export function scoreOf(inputs: ScoreInputs): string | null {
  if (!hasEnough(inputs)) return null;
  const shortfall = new D(inputs.meanShortfall ?? '0');
  const payout = D.max(0, new D(1).minus(shortfall.times(10)));
  return new D(100)
    .times(wilsonLowerBound(inputs.filled, inputs.outcomes))
    .times(payout)
    .times(speedFactor(inputs.p50SettleSeconds ?? 0, inputs.speedTargetSeconds))
    .toFixed(2, Decimal.ROUND_DOWN);
}

/** Computed in whole numbers as far as possible, so that F = 0 gives exactly 0 and F = N exactly N / (N + z²). */
function wilsonLowerBound(filled: number, outcomes: number): Decimal {
  const spread = zSquared.plus(
    new D(4)
      .times(filled)
      .times(outcomes - filled)
      .div(outcomes),
  );
  return new D(2)
    .times(filled)
    .plus(zSquared)
    .minus(z.times(spread.sqrt()))
    .div(new D(outcomes).plus(zSquared).times(2));
}

/** This is by far the most expensive part of a score, and it is computed for the same few hundred medians repeatedly. */
const knownFactors = new Map<string, Decimal>();
const maxKnownFactors = 20_000;

function speedFactor(p50SettleSeconds: number, speedTargetSeconds: number): Decimal {
  const key = `${p50SettleSeconds}/${speedTargetSeconds}`;
  const known = knownFactors.get(key);
  if (known !== undefined) return known;
  if (knownFactors.size >= maxKnownFactors) knownFactors.clear();
  const factor = new D(2).pow(new D(-p50SettleSeconds).div(speedTargetSeconds));
  knownFactors.set(key, factor);
  return factor;
}

/**
 * An anchor's own score: the mean of its corridors' scores weighted by their outcomes, from the published two places,
 * rounded down to two. Null where no corridor is scored.
 */
export function weightedScore(cards: readonly { score: string | null; outcomes: number }[]): string | null {
  let weight = new D(0);
  let sum = new D(0);
  for (const { score, outcomes } of cards) {
    if (score === null) continue;
    weight = weight.plus(outcomes);
    sum = sum.plus(new D(score).times(outcomes));
  }
  return weight.isZero() ? null : sum.div(weight).toFixed(2, Decimal.ROUND_DOWN);
}
