import type { RateHistoryPoint } from '../../../contract/schemas/rate-history.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';

/** The summary of a sample, made from its answer. `at` is an instant. */
export function toPoint(at: string, answer: RatesAnswer): RateHistoryPoint {
  const { asOf, amount, best, quotes, unavailable } = answer;
  return {
    at,
    asOf,
    amount,
    best,
    quotes: quotes.map(({ anchorId, tier, sellAmount, receiveAmount, rate, cost, reputation, unranked }) => ({
      anchorId,
      tier,
      sellAmount,
      receiveAmount,
      rate,
      costPercent: cost?.percent ?? null,
      score: reputation.score,
      unranked,
    })),
    unavailable,
  };
}
