import { describe, expect, it } from '@jest/globals';
import type { RateQuote } from '../../contract/schemas/rates.js';
import { reasonKey } from '../../web/src/pages/rates/reasons.js';
import { whyBest } from '../../web/src/pages/rates/why-best.js';

const quoteOf = (anchorId: string, parts: Partial<RateQuote>) =>
  ({
    anchorId,
    tier: 'anchor',
    adjusted: false,
    sellAmount: '100',
    worth: '1',
    unranked: null,
    ...parts,
  }) as RateQuote;
const why = (quotes: RateQuote[], receive: string | null = null) =>
  whyBest({ quotes, receive }, quotes[0] as RateQuote).why;

describe('why an offer is the best, in a sentence', () => {
  const own = quoteOf('own', { receiveAmount: '152000' });

  it('is that it promises most, only where no other offer promises more', () => {
    expect(why([own, quoteOf('other', { receiveAmount: '151000' })])).toBe('whyAlsoMost');
    const estimate = quoteOf('estimate', { tier: 'estimate', receiveAmount: '153000' });
    expect(why([own, estimate])).toBe('whyOrder');
    const adjusted = quoteOf('adjusted', { adjusted: true, sellAmount: '90', receiveAmount: '120000' });
    expect(why([adjusted, estimate])).toBe('whyOrder');
  });

  it('is that it asks for least, where all pay out the same', () => {
    const asksMore = quoteOf('other', { receiveAmount: '152000', sellAmount: '101' });
    expect(why([own, asksMore], '152000')).toBe('whyAlsoLeast');
  });
});

describe('a reason that the service gives', () => {
  it('has a text, unless it was added to the service after the page was loaded', () => {
    expect(reasonKey('timeout')).toBe('rates.reasonTimeout');
    expect(reasonKey('added_later' as 'timeout')).toBeUndefined();
  });
});
