import { describe, expect, it } from '@jest/globals';
import { readTypedAmount, roundAmount } from '../../web/src/pages/rates/typed-amount.js';

const english = { decimals: 7, mark: '.', min: '10', max: '10000' } as const;
const french = { ...english, mark: ',' } as const;
const amount = (text: string) => ({ kind: 'amount', amount: text });

describe('an amount as it is typed', () => {
  it.each([
    ['100', '100'],
    [' 0100.50 ', '100.5'],
    ['1,000', '1000'],
    ['1,000.25', '1000.25'],
    ['99,5', '99.5'],
    ['1’000', '1000'],
  ])('in English: %j is %s', (typed, read) => {
    expect(readTypedAmount(typed, english)).toEqual(amount(read));
  });

  it.each([
    ['1\u202f000,25', '1000.25'],
    ['1.000,25', '1000.25'],
    ['99.5', '99.5'],
    ['99,500', '99.5'],
  ])('in French: %j is %s', (typed, read) => {
    expect(readTypedAmount(typed, french)).toEqual(amount(read));
  });

  it.each(['-5', 'abc', '1e3', '1.2.3', '.', '1,2,3', '0x10', '9'.repeat(16)])('%j is no amount', (typed) => {
    expect(readTypedAmount(typed, english)).toEqual({ kind: 'notANumber' });
  });

  it('is nothing where only spaces stand', () => {
    expect(readTypedAmount('  ', english)).toEqual({ kind: 'empty' });
  });

  it('may have as many decimals as are asked for, and zeros after them', () => {
    expect(readTypedAmount('10.12345678', english)).toEqual({ kind: 'tooManyDecimals' });
    expect(readTypedAmount('10.1234567000', english)).toEqual(amount('10.1234567'));
    expect(readTypedAmount('10.5', { ...english, decimals: 0 })).toEqual({ kind: 'tooManyDecimals' });
  });

  it.each(['9.9999999', '10000.01', '0'])('%s is out of the range of the corridor', (typed) => {
    expect(readTypedAmount(typed, english)).toEqual({ kind: 'outOfRange' });
  });

  it.each(['10', '10000'])('%s is in the range, whose ends belong to it', (typed) => {
    expect(readTypedAmount(typed, english)).toEqual(amount(typed));
  });

  it('is above zero where no range is known', () => {
    expect(readTypedAmount('0.00', { decimals: 2, mark: '.' })).toEqual({ kind: 'outOfRange' });
    expect(readTypedAmount('.5', { decimals: 2, mark: '.' })).toEqual(amount('0.5'));
  });
});

describe('the amount to receive that is proposed', () => {
  it('is in whole units, but where it is below one unit', () => {
    expect(['152343.75', '0.92', '100'].map(roundAmount)).toEqual(['152343', '0.92', '100']);
  });
});
