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
});

type Patch = Partial<Omit<Ranked, 'reputation'>> & { of?: Partial<Ranked['reputation']> };

function quoteOf(anchorId: string, { of = {}, ...patch }: Patch): Ranked {
  const record = { score: '80.00', state: 'scored', p50SettleSeconds: 60, p95SettleSeconds: 200 } as const;
  return {
    anchorId,
    tier: 'anchor',
    adjusted: false,
    sellAmount: '100',
    receiveAmount: '500',
    expectedReceive: '499',
    worth: '490',
    unranked: null,
    ...patch,
    reputation: { ...record, ...of },
  };
}

const unscored = { score: null, state: 'insufficient_data' } as const;
const absurd = { receiveAmount: '325000', expectedReceive: '325000', worth: '325000' };
const outside: Record<string, Patch> = {
  scored: {},
  unscored: { tier: 'estimate', of: unscored },
  above: { ...absurd, unranked: 'above_band', of: { score: '100.00', p50SettleSeconds: 1 } },
  below: {
    ...absurd,
    tier: 'estimate',
    unranked: 'below_band',
    of: { score: '100.00', p50SettleSeconds: 1 },
  },
};

/** The quotes in the order that is expected. */
const orders: [string, QuoteSort | undefined, Record<string, Patch>][] = [
  ...sorts.map((sort): (typeof orders)[number] => ['puts what is outside the band last', sort, outside]),
  ['is by worth', undefined, { pays: { worth: '491' }, promises: { receiveAmount: '600' } }],
  [
    'is own prices, exact amounts, worth for each unit, expectation, id',
    'best',
    {
      'worth-more': { worth: '490.01', expectedReceive: '400' },
      'expected-more': { expectedReceive: '499.01' },
      'twin-a': {},
      'twin-b': {},
      adjusted: { adjusted: true, sellAmount: '542', worth: '5420' },
      estimate: { tier: 'estimate', worth: '900' },
    },
  ],
  [
    'is the promise for each unit after the same preferences, and the best among equals',
    'receive',
    {
      promises: { receiveAmount: '500.01', worth: '300' },
      'worth-more': { worth: '491' },
      plain: {},
      adjusted: { adjusted: true, sellAmount: '542', receiveAmount: '5420' },
      estimate: { tier: 'estimate', receiveAmount: '900' },
    },
  ],
  [
    'compares scores as numbers, puts anchors without one last, and the best first among equals',
    'score',
    {
      hundred: { tier: 'estimate', of: { score: '100.00' } },
      'eighty-worth-more': { worth: '491' },
      eighty: {},
      nine: { of: { score: '9.99' } },
      unknown: { worth: '600', of: unscored },
    },
  ],
  [
    'puts the quickest typical payout first, then the quickest slow one; too few outcomes come last',
    'speed',
    {
      'quick-and-steady': { of: { p95SettleSeconds: 90 } },
      quick: {},
      slow: { of: { p50SettleSeconds: 100 } },
      untimed: { of: { p50SettleSeconds: null } },
      'two-quick-ones': { of: { ...unscored, p50SettleSeconds: 5 } },
    },
  ],
];

it.each(orders)('the order %s: ?sort=%s', (_name, sort, patches) => {
  const quotes = Object.entries(patches).map(([id, patch]) => quoteOf(id, patch));
  const found = rankQuotes([...quotes].reverse(), sort).map(({ anchorId }) => anchorId);
  expect(found).toEqual(Object.keys(patches));
});
