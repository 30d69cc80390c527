import { describe, expect, it } from '@jest/globals';
import type { RateQuote } from '../../contract/schemas/rates.js';
import { reasonOf } from '../../web/src/pages/rates/offer-reason.js';

const record = { outcomes: 100, fillRate: '1', p50SettleSeconds: 60, meanShortfall: '0' };

function quoteOf(anchorId: string, parts: Partial<RateQuote>, reputation: Partial<typeof record> = {}) {
  return {
    anchorId,
    anchorName: anchorId,
    simulated: false,
    tier: 'anchor',
    adjusted: false,
    sellAmount: '100',
    receiveAmount: '152000',
    worth: '151000',
    unranked: null,
    reputation: { ...record, ...reputation },
    ...parts,
  } as RateQuote;
}

const best = quoteOf('best', {});
const answerOf = (...others: RateQuote[]) => ({ quotes: [best, ...others], best: { anchorId: 'best' } });

describe('why the first offer is first', () => {
  it.each([
    ['it is the only one', [], { why: 'only' }],
    ['nobody promises more', [quoteOf('less', { receiveAmount: '151000' })], { why: 'alsoMost' }],
    [
      'a better rate is an estimate',
      [quoteOf('guess', { tier: 'estimate', receiveAmount: '153000' })],
      { why: 'order' },
    ],
    [
      'who promises more is worth less',
      [quoteOf('more', { receiveAmount: '153000', worth: '150486' })],
      { why: 'worthMore', other: 'more', better: '514', more: '1000' },
    ],
  ])('%s', (_, others, why) => {
    expect(reasonOf(best, answerOf(...others), 600)).toMatchObject({ kind: 'first', ...why });
  });
});

describe('what puts another offer behind the first', () => {
  it.each([
    ['failures', quoteOf('a', { receiveAmount: '153000' }, { fillRate: '0.8' }), 'fails', true],
    ['slowness', quoteOf('a', { receiveAmount: '153000' }, { p50SettleSeconds: 3_000 }), 'slow', true],
    ['shortfalls', quoteOf('a', {}, { meanShortfall: '0.02' }), 'short', false],
    ['the promise', quoteOf('a', { receiveAmount: '140000' }, { fillRate: '0.99' }), 'less', false],
    ['a short record', quoteOf('a', { receiveAmount: '153000' }, { outcomes: 4 }), 'new', true],
    ['that it is estimated', quoteOf('a', { tier: 'estimate' }), 'estimate', false],
  ])('is %s', (_, quote, cause, isMost) => {
    expect(reasonOf(quote, answerOf(quote), 600)).toMatchObject({ kind: 'behind', cause, isMost });
  });

  it('is told with the difference only where both are for one amount', () => {
    const other = quoteOf('a', { worth: '150486' });
    expect(reasonOf(other, answerOf(other), 600)).toMatchObject({ behind: '514' });
    const more = quoteOf('a', { sellAmount: '101', worth: '150486' });
    expect(reasonOf(more, answerOf(more), 600)).toMatchObject({ behind: undefined });
  });
});
