import { describe, expect, it } from '@jest/globals';
import { compareDecimals, compareShares, subtractDecimals } from '../../web/src/figures/decimal.js';

describe('decimal text', () => {
  it.each([
    ['152261.35', '150631.83', '1629.52'],
    ['152039.72', '152039.72', '0.00'],
    ['100', '0.0000001', '99.9999999'],
    ['1', '1.5', '-0.5'],
    ['-0.05', '0.95', '-1.00'],
    ['9007199254740993', '0.01', '9007199254740992.99'],
  ])('%s less %s is %s, digit by digit', (a, b, difference) => {
    expect(subtractDecimals(a, b)).toBe(difference);
  });

  it.each([
    ['10', '9.99', 1],
    ['1.50', '1.5', 0],
    ['9', '10', -1],
    ['-1', '0.00', -1],
    ['9007199254740993', '9007199254740992', 1],
  ])('%s compares with %s: %s', (a, b, order) => {
    expect(compareDecimals(a, b)).toBe(order);
  });

  it('compares shares without rounding them', () => {
    const third = { amount: '1', per: '3' };
    expect(compareShares(third, { amount: '0.3333333', per: '1' })).toBe(1);
    expect(compareShares(third, { amount: '2', per: '6' })).toBe(0);
    expect(compareShares({ amount: '0.3333333', per: '1' }, third)).toBe(-1);
  });
});
