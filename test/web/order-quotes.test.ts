import { describe, expect, it } from '@jest/globals';
import { type Ranked, rankQuotes } from '../../server/features/rates/ranking.rules.js';
import { orderQuotes, sorts } from '../../web/src/pages/rates/order-quotes.js';

/** Pseudo-random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** Quotes that often have equal figures, so that ties are tested as well. */
function quotesOf(seed: number): Ranked[] {
  const below = numbers(seed);
  const oneOf = <T>(...values: T[]): T => values[below(values.length)] as T;
  return Array.from({ length: 12 }, (_, index) => {
    const isScored = below(3) > 0;
    return {
      anchorId: `anchor-${index}`,
      tier: oneOf('anchor', 'anchor', 'estimate'),
      adjusted: below(4) === 0,
      sellAmount: oneOf('100', '99.5', '33.3333333'),
      receiveAmount: oneOf('152039.72', '152261.35', '50680'),
      expectedReceive: oneOf('152000.00', '151000.5'),
      worth: oneOf('151740.94', '150631.83'),
      unranked: oneOf(null, null, null, 'above_band'),
      reputation: {
        state: isScored ? 'scored' : 'insufficient_data',
        score: isScored ? oneOf('90.76', '9.90', '100.00') : null,
        p50SettleSeconds: oneOf(31, 440, null),
        p95SettleSeconds: oneOf(108, 667, null),
      },
    };
  });
}

describe('the order of quotes in the page', () => {
  it.each(sorts)('is the one that the service gives: %s', (sort) => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const best = rankQuotes(quotesOf(seed));
      const ids = orderQuotes(best, sort).map(({ anchorId }) => anchorId);
      expect({ seed, ids }).toEqual({ seed, ids: rankQuotes(best, sort).map(({ anchorId }) => anchorId) });
    }
  });
});
