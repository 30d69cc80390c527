import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { decimalAnswer } from '../../../contract/schemas/primitives.js';
import { isOutOfRange, plainDecimal } from '../../../server/amounts.rules.js';
import { offerFromFee } from '../../../server/features/rates/estimate.rules.js';
import { offerFromSep38 } from '../../../server/features/rates/offer.rules.js';
import { readPrice } from '../../../server/features/rates/sep38.rules.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const Exact = Decimal.clone({ precision: 80, toExpNeg: -90, toExpPos: 90 });

/** A positive decimal string with up to `whole` integer digits and `places` decimals. */
function decimal(whole: number, places: number) {
  return fc
    .integer({ min: 0, max: places })
    .chain((shift) => fc.tuple(fc.bigInt(1n, 10n ** BigInt(whole + shift) - 1n), fc.constant(shift)))
    .map(([digits, shift]) => new Exact(digits.toString()).div(new Exact(10).pow(shift)).toFixed());
}

const currencies = fc.constantFrom(
  { currency: 'UGX', payoutDecimals: 0 },
  { currency: 'NGN', payoutDecimals: 2 },
  { currency: 'KWD', payoutDecimals: 3 },
);

describe('an offer from any SEP-38 price', () => {
  it('promises no more than the anchor, in whole minor units, at a rate that matches its amounts', () => {
    fc.assert(
      fc.property(currencies, decimal(9, 10), decimal(12, 10), (currency, sellAmount, buyAmount) => {
        const corridor = corridorFixture(currency);
        const total = new Exact(sellAmount).div(buyAmount).toDecimalPlaces(20).toFixed();
        const answer = { sell_amount: sellAmount, buy_amount: buyAmount, total_price: total };
        const price = readPrice(
          Number(total) > 0 && Number(total) < 1e15 ? answer : { ...answer, total_price: undefined },
          corridor,
          'sep6',
        );
        if (isRefused(price)) throw new Error(price.refused);
        const offer = offerFromSep38(corridor, { amount: '100', deliveryMethod: null }, price);
        if (!('offer' in offer)) {
          expect(
            new Exact(buyAmount).toDecimalPlaces(corridor.payoutDecimals, Decimal.ROUND_DOWN).isZero(),
          ).toBe(true);
          return;
        }
        const { sellAmount: sold, receiveAmount, rate } = offer.offer;
        expect(new Exact(receiveAmount).lte(buyAmount)).toBe(true);
        expect(new Exact(buyAmount).sub(receiveAmount).lt(new Exact(10).pow(-corridor.payoutDecimals))).toBe(
          true,
        );
        expect(new Exact(receiveAmount).decimalPlaces()).toBeLessThanOrEqual(corridor.payoutDecimals);
        expect(new Exact(sold).gte(sellAmount)).toBe(true);
        expect(new Exact(sold).decimalPlaces()).toBeLessThanOrEqual(7);
        expect(new Exact(rate).mul(sold).lte(receiveAmount)).toBe(true);
        expect(new Exact(rate).gte(new Exact(receiveAmount).div(sold).mul('0.999999999'))).toBe(true);
        for (const text of [sold, receiveAmount, rate])
          expect(decimalAnswer.safeParse(text).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('has a fee that satisfies the formulas of SEP-38, up to rounding', () => {
    fc.assert(
      fc.property(
        decimal(4, 4),
        decimal(6, 7),
        fc.boolean(),
        fc.integer({ min: 0, max: 9_999 }),
        (price, buy, onSell, ppt) => {
          const corridor = corridorFixture();
          const buyAmount = new Exact(buy).toDecimalPlaces(2, Decimal.ROUND_UP);
          // SEP-38 §Price Formulas, both ways.
          const net = new Exact(price).mul(buyAmount);
          const fee = onSell
            ? net.mul(ppt).div(1e5).toDecimalPlaces(7)
            : buyAmount.mul(ppt).div(1e5).toDecimalPlaces(2);
          const sell = onSell ? net.add(fee) : new Exact(price).mul(buyAmount.add(fee));
          if (sell.lt('0.0000001')) return;
          const read = readPrice(
            {
              total_price: sell.div(buyAmount).toDecimalPlaces(20).toFixed(),
              price,
              sell_amount: sell.toFixed(),
              buy_amount: buyAmount.toFixed(),
              fee: { total: fee.toFixed(), asset: onSell ? corridor.sellAsset : corridor.buyAsset },
            },
            corridor,
            'sep6',
          );
          if (isRefused(read)) throw new Error(read.refused);
          const offer = offerFromSep38(corridor, { amount: '100', deliveryMethod: null }, read);
          if (!('offer' in offer)) throw new Error('a consistent price was refused');
          const shown = new Exact(offer.offer.fee?.total ?? '-1');
          expect(shown.gte(fee)).toBe(true);
          expect(shown.sub(fee).lt(onSell ? '0.0000001' : '0.01')).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('an estimate', () => {
  const fx = { rate: '1541.25', base: 'USD', date: '2026-11-21' };
  const schedule = {
    source: 'sep24' as const,
    feeFixed: '0.5',
    feePercent: '2',
    feeMinimum: '0',
    min: '20',
    max: '5000',
  };
  const ngn = corridorFixture({ currency: 'NGN' });

  it('reads fee_percent as percentage points and rounds the payout down', () => {
    const offer = offerFromFee(ngn, { amount: '100', deliveryMethod: 'cash' }, schedule, fx);
    expect(offer).toMatchObject({
      offer: {
        tier: 'estimate',
        sellAmount: '100',
        receiveAmount: '150271.87',
        rate: '1502.7187',
        fee: { total: '2.5', asset: ngn.sellAsset },
        deliveryMethod: 'cash',
        estimate: { feePercent: '2', fxRate: '1541.25', fxBase: 'USD' },
      },
    });
  });

  it('uses the minimum fee if the computed one is less', () => {
    const offer = offerFromFee(
      ngn,
      { amount: '100', deliveryMethod: null },
      { ...schedule, feeMinimum: '5' },
      fx,
    );
    expect(offer).toMatchObject({ offer: { fee: { total: '5' }, receiveAmount: '146418.75' } });
  });

  it.each([
    ['under the minimum amount', '19.99', schedule],
    ['over the maximum amount', '5000.01', schedule],
    ['eaten by the fee', '100', { ...schedule, feeFixed: '100' }],
  ])('refuses an amount %s', (_name, amount, terms) => {
    expect(offerFromFee(ngn, { amount, deliveryMethod: null }, terms, fx)).toEqual({
      reason: 'refused_amount',
    });
  });

  it('never promises more than its inputs allow', () => {
    const bounded = { min: null, max: null, source: 'sep6' as const };
    fc.assert(
      fc.property(
        decimal(5, 7),
        decimal(2, 7),
        decimal(2, 4),
        decimal(5, 8),
        (amount, fixed, percent, rate) => {
          const terms = { ...bounded, feeFixed: fixed, feePercent: percent, feeMinimum: '0' };
          const offer = offerFromFee(ngn, { amount, deliveryMethod: null }, terms, { ...fx, rate });
          const exact = new Exact(amount).sub(new Exact(amount).mul(percent).div(100)).sub(fixed).mul(rate);
          if ('offer' in offer) expect(new Exact(offer.offer.receiveAmount).lte(exact)).toBe(true);
          else expect(exact.lt('0.02') || exact.lt(new Exact(rate).mul('0.000001'))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('amounts', () => {
  it('have one normal form', () => {
    expect(['100', '100.0', '100.50', '0.1000000', '0100'].map(plainDecimal)).toEqual([
      '100',
      '100',
      '100.5',
      '0.1',
      '100',
    ]);
    expect(plainDecimal('0.0000001')).toBe('0.0000001');
  });

  it('are out of range below min and above max, but not at the limits', () => {
    const range = { min: '10', max: '10000' };
    expect(['10', '10000', '10.0000000'].map((amount) => isOutOfRange(amount, range))).toEqual([
      false,
      false,
      false,
    ]);
    expect(['9.9999999', '10000.0000001'].map((amount) => isOutOfRange(amount, range))).toEqual([true, true]);
  });
});
