import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shortfallPpb } from '../../../server/features/intents/transition/shortfall.rules.js';

const quote = { tier: 'anchor', sellAmount: '100', receiveAmount: '152340.55' } as const;

describe('shortfall', () => {
  // Expected values computed with Python's fractions: 1 - Fraction(out)/Fraction(in)/(Fraction('152340.55')/100), in 10⁻⁹.
  it.each([
    ['100', '152340.55', 0],
    ['100', '152000', 2_235_452],
    ['100', '160000', 0],
    ['50', '76170.275', 0],
    ['110', '152340.55', 90_909_091],
    ['100', '0.01', 999_999_934],
    ['7.0000001', '10663.83', 811],
  ])('for %s paid in and %s paid out is %i parts per billion', (amountIn, amountOut, expected) => {
    expect(shortfallPpb({ amountIn, amountOut, quote })).toBe(expected);
  });

  it('of an anchor that promises 650 times the market and pays the market is nearly everything', () => {
    const absurd = { ...quote, receiveAmount: '99021357.50' };
    expect(shortfallPpb({ amountIn: '100', amountOut: '152340.55', quote: absurd })).toBe(998_461_538);
  });

  it('is null against an estimate, without a quote, or for an amount of zero', () => {
    const amounts = { amountIn: '100', amountOut: '1' };
    expect(shortfallPpb({ ...amounts, quote: null })).toBeNull();
    expect(shortfallPpb({ ...amounts, quote: { ...quote, tier: 'estimate' } })).toBeNull();
    expect(shortfallPpb({ ...amounts, amountIn: '0', quote })).toBeNull();
    expect(shortfallPpb({ ...amounts, quote: { ...quote, receiveAmount: '0' } })).toBeNull();
  });

  it('is a whole number from 0 to 10⁹, and 0 for exactly the quoted payout', () => {
    const amount = fc
      .bigInt({ min: 1n, max: 10n ** 19n })
      .map((units) => `${units / 10n ** 7n}.${String(units % 10n ** 7n).padStart(7, '0')}`);
    fc.assert(
      fc.property(amount, amount, amount, amount, (sellAmount, receiveAmount, amountIn, amountOut) => {
        const promised = { tier: 'anchor', sellAmount, receiveAmount } as const;
        expect(shortfallPpb({ amountIn: sellAmount, amountOut: receiveAmount, quote: promised })).toBe(0);
        const ppb = shortfallPpb({ amountIn, amountOut, quote: promised }) ?? -1;
        expect(Number.isInteger(ppb) && ppb >= 0 && ppb <= 1e9).toBe(true);
      }),
    );
  });
});
