import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { assembleAnswer, type Reply } from '../../../server/features/rates/answer.rules.js';
import { offerFromFee } from '../../../server/features/rates/estimate.rules.js';
import { type Offer, offerFromSep38 } from '../../../server/features/rates/offer.rules.js';
import { type AskedFor, isReferenceQuestion, keyOf } from '../../../server/features/rates/question.rules.js';
import type { Sep38Price } from '../../../server/features/rates/sep38.rules.js';
import { noRecord } from '../../../server/features/reputation/cards.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const corridor = corridorFixture();
const fx = { rate: '1541.25', base: 'USD', date: '2026-11-21' };
const schedule = {
  source: 'sep24' as const,
  feeFixed: '0.5',
  feePercent: '2',
  feeMinimum: '0',
  min: null,
  max: null,
};
const typical = { anchors: 0, fillRate: '0.95', p50SettleSeconds: 600, meanShortfall: '0' };

function fixed(whole: number, places: number) {
  return fc
    .integer({ min: 1, max: 10 ** (whole + places) - 1 })
    .map((digits) => new Decimal(digits).div(10 ** places).toFixed());
}

function sep38(sellAmount: string, buyAmount: string): Sep38Price {
  return { price: null, totalPrice: null, sellAmount, buyAmount, fee: null, context: 'sep6' };
}

function offerOf(sellAmount: string, buyAmount: string, receive: string): Offer {
  const made = offerFromSep38(corridor, { receive, deliveryMethod: null }, sep38(sellAmount, buyAmount));
  if (!('offer' in made)) throw new Error('an offer was refused');
  return made.offer;
}

function replyOf(anchorId: string, offer: Offer): Reply {
  return { anchorId, anchorName: anchorId, simulated: true, result: { offer }, at: 0 };
}

const context = {
  reputationOf: () => noRecord,
  typical,
  market: { reading: fx, source: 'test' },
  band: null,
  sort: 'best' as const,
  asOf: 0,
  stale: false,
};

describe('an estimate for a payout', () => {
  it('sells the least amount, to a stroop, whose payout reaches what was asked for', () => {
    const wide = corridorFixture({ min: '0.0000001', max: '999999999' });
    fc.assert(
      fc.property(
        fixed(6, 2),
        fixed(1, 7),
        fixed(2, 4),
        fixed(1, 7),
        fixed(5, 4),
        (receive, feeFixed, feePercent, feeMinimum, rate) => {
          const terms = { ...schedule, feeFixed, feePercent, feeMinimum };
          const offer = offerFromFee(wide, { receive, deliveryMethod: null }, terms, { ...fx, rate });
          if (!('offer' in offer)) {
            expect(new Decimal(receive).div(rate).gt('1000')).toBe(true);
            return;
          }
          const { sellAmount, receiveAmount } = offer.offer;
          expect(new Decimal(receiveAmount).gte(receive)).toBe(true);
          const amount = new Decimal(sellAmount).sub('0.0000001').toFixed();
          const less = offerFromFee(wide, { amount, deliveryMethod: null }, terms, { ...fx, rate });
          if ('offer' in less) expect(new Decimal(less.offer.receiveAmount).lt(receive)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is the inverse of the estimate for an amount', () => {
    const offer = offerFromFee(corridor, { receive: '150271.87', deliveryMethod: 'cash' }, schedule, fx);
    expect(offer).toMatchObject({
      offer: { sellAmount: '99.9999968', receiveAmount: '150271.87', adjusted: false },
    });
  });

  it.each([
    ['under the minimum of the corridor', '10000', schedule],
    ['over the maximum of the corridor', '99999999', schedule],
    ['under the minimum of the anchor', '150000', { ...schedule, min: '150' }],
    ['over the maximum of the anchor', '150000', { ...schedule, max: '90' }],
    ['that a fee of 100 % always eats', '150000', { ...schedule, feePercent: '100' }],
  ])('refuses a payout %s', (_name, receive, terms) => {
    const refused = { reason: 'refused_amount' };
    expect(offerFromFee(corridor, { receive, deliveryMethod: null }, terms, fx)).toEqual(refused);
  });
});

describe('an offer from a SEP-38 price for a payout', () => {
  it('is adjusted where the anchor answers for another payout, and not where it takes another amount', () => {
    expect(offerOf('98.5', '150000', '150000')).toMatchObject({ sellAmount: '98.5', adjusted: false });
    expect(offerOf('542', '825000', '150000')).toMatchObject({ receiveAmount: '825000.00', adjusted: true });
  });

  it('is refused where it takes an amount outside the limits of the corridor', () => {
    const refused = { reason: 'refused_amount' };
    const asked = { receive: '150000', deliveryMethod: null };
    for (const sell of ['9.9999999', '10000.0000001'])
      expect(offerFromSep38(corridor, asked, sep38(sell, '150000'))).toEqual(refused);
    for (const sell of ['10', '10000'])
      expect(offerFromSep38(corridor, asked, sep38(sell, '150000'))).toHaveProperty('offer');
  });
});

describe('the answer to a question for a payout', () => {
  it('says what was asked, and gives as amount what the best quote takes', () => {
    const replies = [
      replyOf('dear', offerOf('99', '150000', '150000')),
      replyOf('cheap', offerOf('98', '150000', '150000')),
    ];
    const answer = assembleAnswer(corridor, { receive: '150000' }, replies, context);
    expect(answer).toMatchObject({ receive: '150000.00', amount: '98', best: { anchorId: 'cheap' } });
    const cost = answer.quotes.map((quote) => Number(quote.cost?.amount));
    expect(cost[1] ?? 0).toBeCloseTo((cost[0] ?? 0) + 1, 6);
  });

  it('has the amount 0 where nobody serves the delivery method', () => {
    const answer = assembleAnswer(corridor, { receive: '150000' }, [], context);
    expect(answer).toMatchObject({ receive: '150000.00', amount: '0', best: null });
  });

  it('has no receive where an amount was asked for', () => {
    const answer = assembleAnswer(corridor, { amount: '100' }, [], context);
    expect(answer).toMatchObject({ receive: null, amount: '100' });
  });

  it('orders anchors that pay in proportion as the question for an amount does', () => {
    const receive = '150000';
    // With these rates, payouts and the amounts for them are exact, so that rounding makes no difference.
    const rates = fc.shuffledSubarray(['1200', '1250', '1500', '1600', '1875', '2000', '2400'], {
      minLength: 2,
    });
    const sorts = fc.constantFrom('best' as const, 'receive' as const, 'score' as const, 'speed' as const);
    fc.assert(
      fc.property(rates, sorts, (paid, sort) => {
        const bySell = paid.map((rate) => {
          const price = sep38('100', new Decimal(rate).mul(100).toFixed());
          const made = offerFromSep38(corridor, { amount: '100', deliveryMethod: null }, price);
          if (!('offer' in made)) throw new Error('an offer was refused');
          return replyOf(`a${rate}`, made.offer);
        });
        const byReceive = paid.map((rate) => {
          const sell = new Decimal(receive).div(rate).toFixed();
          return replyOf(`a${rate}`, offerOf(sell, receive, receive));
        });
        const order = (answer: ReturnType<typeof assembleAnswer>) =>
          answer.quotes.map((each) => each.anchorId);
        const sold = assembleAnswer(corridor, { amount: '100' }, bySell, { ...context, sort });
        const received = assembleAnswer(corridor, { receive }, byReceive, { ...context, sort });
        expect(order(received)).toEqual(order(sold));
        expect(received.best).toEqual(sold.best);
      }),
    );
  });
});

describe('a question for a payout', () => {
  it('has another key than one for an amount, and is never the one of the reference amount', () => {
    const anyMethod = { corridor, deliveryMethod: undefined };
    const key = (asked: AskedFor) => keyOf({ asked, ...anyMethod });
    expect(key({ receive: '100' })).not.toBe(key({ amount: '100' }));
    expect(isReferenceQuestion({ asked: { amount: '100' }, ...anyMethod })).toBe(true);
    expect(isReferenceQuestion({ asked: { receive: '100' }, ...anyMethod })).toBe(false);
  });
});
