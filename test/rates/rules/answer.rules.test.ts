import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareQuotes, rankQuotes, waitingHelps } from '../../../server/features/rates/answer.rules.js';

const quote = fc.record({
  anchorId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  tier: fc.constantFrom('anchor' as const, 'estimate' as const),
  adjusted: fc.boolean(),
  sellAmount: fc.constantFrom('100', '100.0000001', '99.9999999', '542'),
  receiveAmount: fc.constantFrom('0.01', '500', '500.01', '152340.55', '999999999999999.99'),
});

describe('waiting', () => {
  it.each([
    [['timeout'], true, true],
    [['unauthorized', 'circuit_open'], true, true],
    [['unauthorized', 'blocked', 'not_served', 'refused_amount'], true, false],
    [['no_fx'], true, true],
    [['no_fx', 'not_served'], false, false],
    [[], true, false],
  ] as const)(
    'for anchors with the reasons %j, with an FX reference: %s, helps: %s',
    (reasons, hasFx, helps) => {
      expect(waitingHelps(reasons, { hasFx })).toBe(helps);
    },
  );
});

describe('the ranking', () => {
  it('is a total order: antisymmetric, transitive, and equal only for the same anchor at the same rate', () => {
    fc.assert(
      fc.property(quote, quote, quote, (a, b, c) => {
        expect(Math.sign(compareQuotes(a, b)) + Math.sign(compareQuotes(b, a))).toBe(0);
        if (compareQuotes(a, b) <= 0 && compareQuotes(b, c) <= 0)
          expect(compareQuotes(a, c)).toBeLessThanOrEqual(0);
        if (compareQuotes(a, b) === 0) expect(a.anchorId).toBe(b.anchorId);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on the order in which the anchors answered', () => {
    const distinct = fc.uniqueArray(quote, { selector: (each) => each.anchorId });
    fc.assert(
      fc.property(distinct, fc.integer(), (quotes, seed) => {
        const shuffled = [...quotes].sort(
          (a, b) =>
            ((a.anchorId.charCodeAt(0) * 7919 + seed) % 13) - ((b.anchorId.charCodeAt(0) * 7919 + seed) % 13),
        );
        expect(rankQuotes(shuffled)).toEqual(rankQuotes(quotes));
      }),
    );
  });

  it("puts anchors' own prices first, then exact amounts, then the better rate, then the id", () => {
    const base = { tier: 'anchor' as const, adjusted: false, sellAmount: '100', receiveAmount: '500' };
    const ranked = rankQuotes([
      { ...base, anchorId: 'estimate', tier: 'estimate', receiveAmount: '900' },
      { ...base, anchorId: 'adjusted', adjusted: true, sellAmount: '542', receiveAmount: '5420' },
      { ...base, anchorId: 'twin-b' },
      { ...base, anchorId: 'twin-a' },
      { ...base, anchorId: 'better', receiveAmount: '500.01' },
    ]);
    expect(ranked.map((each) => each.anchorId)).toEqual([
      'better',
      'twin-a',
      'twin-b',
      'adjusted',
      'estimate',
    ]);
  });
});
