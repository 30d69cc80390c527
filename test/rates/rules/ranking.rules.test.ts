import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type QuoteSort, quoteSorts } from '../../../contract/schemas/rates.js';
import { compareQuotes, type Ranked, rankQuotes } from '../../../server/features/rates/ranking.rules.js';

const sorts = Object.keys(quoteSorts) as QuoteSort[];
const money = fc.constantFrom('0', '0.01', '500', '500.01', '152340.55', '999999999999999.99');
const seconds = fc.constantFrom(null, 0, 41, 42, 7_776_000);

const quote: fc.Arbitrary<Ranked> = fc.record({
  anchorId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  tier: fc.constantFrom('anchor' as const, 'estimate' as const),
  adjusted: fc.boolean(),
  sellAmount: fc.constantFrom('100', '100.0000001', '99.9999999', '542'),
  receiveAmount: money,
  expectedReceive: money,
  worth: money,
  unranked: fc.constantFrom(null, 'above_band' as const, 'below_band' as const),
  reputation: fc.record({
    score: fc.constantFrom(null, '0.00', '58.03', '9.99', '100.00'),
    state: fc.constantFrom('scored' as const, 'insufficient_data' as const),
    p50SettleSeconds: seconds,
    p95SettleSeconds: seconds,
  }),
});

const scored = { score: '80.00', state: 'scored', p50SettleSeconds: 60, p95SettleSeconds: 200 } as const;
const unscored = { score: null, state: 'insufficient_data' } as const;
const base: Omit<Ranked, 'anchorId'> = {
  tier: 'anchor',
  adjusted: false,
  sellAmount: '100',
  receiveAmount: '500',
  expectedReceive: '499',
  worth: '490',
  unranked: null,
  reputation: scored,
};
const order = (quotes: readonly Ranked[], sort?: QuoteSort) =>
  rankQuotes(quotes, sort).map(({ anchorId }) => anchorId);

describe.each(sorts)('the order %s', (sort) => {
  it('is total: antisymmetric, transitive, and equal only for the same anchor', () => {
    fc.assert(
      fc.property(quote, quote, quote, (a, b, c) => {
        expect(Math.sign(compareQuotes(a, b, sort)) + Math.sign(compareQuotes(b, a, sort))).toBe(0);
        if (compareQuotes(a, b, sort) <= 0 && compareQuotes(b, c, sort) <= 0)
          expect(compareQuotes(a, c, sort)).toBeLessThanOrEqual(0);
        if (compareQuotes(a, b, sort) === 0) expect(a.anchorId).toBe(b.anchorId);
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not depend on the order in which the anchors answered', () => {
    const distinct = fc.uniqueArray(quote, { selector: (each) => each.anchorId });
    const shuffled = distinct.chain((quotes) =>
      fc.tuple(
        fc.constant(quotes),
        fc.shuffledSubarray(quotes, { minLength: quotes.length, maxLength: quotes.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([quotes, others]) => {
        expect(rankQuotes(others, sort)).toEqual(rankQuotes(quotes, sort));
      }),
    );
  });
});

describe.each(sorts)('a quote outside the band, in the order %s', (sort) => {
  it('comes after every ranked one, whatever it promises and however good its record', () => {
    const absurd = {
      ...base,
      receiveAmount: '325000',
      expectedReceive: '325000',
      worth: '325000',
      reputation: { ...scored, score: '100.00', p50SettleSeconds: 1 },
    };
    const quotes = [
      { ...absurd, anchorId: 'a', unranked: 'above_band' as const },
      { ...absurd, anchorId: 'b', tier: 'estimate' as const, unranked: 'below_band' as const },
      { ...base, anchorId: 'c' },
      { ...base, anchorId: 'd', tier: 'estimate' as const, reputation: { ...scored, ...unscored } },
    ];
    expect(order(quotes, sort)).toEqual(['c', 'd', 'a', 'b']);
  });
});

describe('best', () => {
  it('is the order when none is named', () => {
    const quotes = [
      { ...base, anchorId: 'promises', receiveAmount: '600' },
      { ...base, anchorId: 'pays', worth: '491' },
    ];
    expect(order(quotes)).toEqual(['pays', 'promises']);
  });

  it("puts anchors' own prices first, then exact amounts, then worth for each unit, then expectation, then the id", () => {
    const quotes = [
      { ...base, anchorId: 'estimate', tier: 'estimate' as const, worth: '900' },
      { ...base, anchorId: 'adjusted', adjusted: true, sellAmount: '542', worth: '5420' },
      { ...base, anchorId: 'twin-b' },
      { ...base, anchorId: 'twin-a' },
      { ...base, anchorId: 'expected-more', expectedReceive: '499.01' },
      { ...base, anchorId: 'worth-more', worth: '490.01', expectedReceive: '400' },
    ];
    expect(order(quotes)).toEqual([
      'worth-more',
      'expected-more',
      'twin-a',
      'twin-b',
      'adjusted',
      'estimate',
    ]);
  });
});

describe('receive', () => {
  it('puts the highest promise for each unit first, after the same preferences, and the best among equals', () => {
    const quotes = [
      { ...base, anchorId: 'estimate', tier: 'estimate' as const, receiveAmount: '900' },
      { ...base, anchorId: 'adjusted', adjusted: true, sellAmount: '542', receiveAmount: '5420' },
      { ...base, anchorId: 'plain' },
      { ...base, anchorId: 'worth-more', worth: '491' },
      { ...base, anchorId: 'promises', receiveAmount: '500.01', worth: '300' },
    ];
    expect(order(quotes, 'receive')).toEqual(['promises', 'worth-more', 'plain', 'adjusted', 'estimate']);
  });
});

describe('score', () => {
  it('compares scores as numbers, puts anchors without one last, and the best first among equals', () => {
    const quotes = [
      { ...base, anchorId: 'unknown', worth: '600', reputation: { ...scored, ...unscored } },
      { ...base, anchorId: 'nine', reputation: { ...scored, score: '9.99' } },
      { ...base, anchorId: 'eighty' },
      { ...base, anchorId: 'eighty-worth-more', worth: '491' },
      { ...base, anchorId: 'hundred', tier: 'estimate' as const, reputation: { ...scored, score: '100.00' } },
    ];
    expect(order(quotes, 'score')).toEqual(['hundred', 'eighty-worth-more', 'eighty', 'nine', 'unknown']);
  });
});

describe('speed', () => {
  it('puts the quickest typical payout first, then the quickest slow one; too few outcomes come last', () => {
    const quotes = [
      { ...base, anchorId: 'two-quick-ones', reputation: { ...scored, ...unscored, p50SettleSeconds: 5 } },
      { ...base, anchorId: 'untimed', reputation: { ...scored, p50SettleSeconds: null } },
      { ...base, anchorId: 'slow', reputation: { ...scored, p50SettleSeconds: 100 } },
      { ...base, anchorId: 'quick' },
      { ...base, anchorId: 'quick-and-steady', reputation: { ...scored, p95SettleSeconds: 90 } },
    ];
    expect(order(quotes, 'speed')).toEqual([
      'quick-and-steady',
      'quick',
      'slow',
      'untimed',
      'two-quick-ones',
    ]);
  });
});
