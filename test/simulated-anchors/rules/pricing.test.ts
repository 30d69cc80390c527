import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Amount,
  anchorRate,
  driftPpm,
  marketRate,
  type PriceTerms,
  priceForBuy,
  priceForSell,
  ratio,
} from '../../../scripts/simulated-anchors/pricing.js';

const terms: PriceTerms = {
  rate: new Amount('1500'),
  feePercent: '1',
  feeFixed: '0.5',
  payoutPlaces: 2,
  lot: null,
};

const amounts = fc
  .integer({ min: 20_000_000, max: 2_000_000_000 })
  .map((stroops) => new Amount(stroops).div(1e7));

describe('a simulated price', () => {
  it('takes the fee off the stablecoin and rounds the payout down', () => {
    const priced = priceForSell(new Amount('100.0000001'), terms);
    expect(priced?.fee.toFixed()).toBe('1.5000001');
    expect(priced?.buy.toFixed()).toBe('147750');
    expect(ratio(new Amount(542), new Amount(100))).toBe('5.42');
  });

  it('is null when the fee is larger than the amount', () => {
    expect(priceForSell(new Amount('0.5'), terms)).toBeNull();
  });

  it('is for 542 when 500 is requested in lots of 54.2', () => {
    const priced = priceForSell(new Amount(500), { ...terms, lot: '54.2' });
    expect(priced?.sell.toFixed()).toBe('542');
  });

  it('satisfies sell - fee = price * buy and sell = total_price * buy to the digits printed', () => {
    fc.assert(
      fc.property(amounts, (sell) => {
        const priced = priceForSell(sell, terms);
        if (priced === null) return false;
        const { buy, fee } = priced;
        const total = buy.mul(ratio(sell, buy)).div(sell);
        const net = buy.mul(ratio(sell.sub(fee), buy)).div(sell.sub(fee));
        return total.sub(1).abs().lt('1e-6') && net.sub(1).abs().lt('1e-6');
      }),
    );
  });

  it('for a payout gives a stablecoin amount that buys at least that much', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const buy = amount.mul(1500).toDecimalPlaces(2);
        const needed = priceForBuy(buy, terms);
        const back = needed === null ? null : priceForSell(needed.sell, terms);
        return back?.buy.gte(buy) === true && back.buy.sub(buy).lt('0.01');
      }),
    );
  });
});

describe('simulated rates', () => {
  const at = Date.UTC(2026, 10, 21, 9, 30);

  it('are the same for the same clock and seed, and differ for another seed', () => {
    expect(marketRate('NGN', at, 'a').toFixed()).toBe(marketRate('NGN', at, 'a').toFixed());
    expect(marketRate('NGN', at, 'a').toFixed()).not.toBe(marketRate('NGN', at, 'b').toFixed());
  });

  it('stay within 0.7 % of their base and move less than 0.1 % in ten seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400 * 365 }), (second) => {
        const now = marketRate('UGX', at + second * 1000, 'seed');
        const soon = marketRate('UGX', at + second * 1000 + 10_000, 'seed');
        expect(now.div(3560).sub(1).abs().toNumber()).toBeLessThan(0.007);
        expect(soon.div(now).sub(1).abs().toNumber()).toBeLessThan(0.001);
      }),
    );
  });

  it('drift without a jump at their knots', () => {
    const before = driftPpm('label', 599_999, 600_000, 800);
    const after = driftPpm('label', 600_000, 600_000, 800);
    expect(Math.abs(after - before)).toBeLessThanOrEqual(1);
  });

  it('are lower at an anchor by its margin', () => {
    const own = { id: 'x', marginPercent: '2', currency: 'NGN', epochMs: at, seed: 's' };
    const paid = anchorRate(new Amount(1000), own).toNumber();
    expect(paid).toBeGreaterThan(978);
    expect(paid).toBeLessThan(982);
  });

  it('throw for a currency without a base rate', () => {
    expect(() => marketRate('XAU', at, 's')).toThrow('XAU');
  });
});
