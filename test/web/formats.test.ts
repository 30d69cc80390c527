import { describe, expect, it } from '@jest/globals';
import { createFormats } from '../../web/src/i18n/formats.js';

const english = createFormats('en');
const french = createFormats('fr');
/** Replaces non-breaking spaces, wide and narrow, by ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('money', () => {
  it('is written as the language does, with the currency where there is one', () => {
    expect(plain(english.money('1548230.5', 'NGN'))).toBe('NGN 1,548,230.50');
    expect(plain(french.money('1548230.5', 'NGN'))).toBe('1 548 230,50 NGN');
    expect(plain(english.asset('1234.5', 'USDC'))).toBe('1,234.50 USDC');
    expect(plain(french.asset('1234.5', 'USDC'))).toBe('1 234,50 USDC');
  });

  it('keeps every digit that the API tells, also where a float would lose some', () => {
    expect(english.asset('9007199254740993.0000001', 'USDC')).toBe('9,007,199,254,740,993.0000001 USDC');
  });

  it('of an asset is not taken for the currency that has the same code', () => {
    expect(plain(english.asset('100', 'BRL'))).toBe('100 BRL');
    expect(plain(english.money('100', 'BRL'))).toBe('R$100');
  });

  it('adds no fraction to a whole amount', () => {
    expect(english.asset('100', 'USDC')).toBe('100 USDC');
  });
});

describe('shares and numbers', () => {
  it('tell a share that is too small for its digits from none', () => {
    expect(english.smallShare('0.000000094')).toBe('< 0.01%');
    expect(english.smallShare('0')).toBe('0%');
    expect(english.smallShare('0.0123')).toBe('1.23%');
  });

  it('say 100 % of all alone', () => {
    expect(english.percent('0.9996')).toBe('99.9%');
    expect(english.percent(2_999 / 3_000)).toBe('99.9%');
    expect(english.percent(0.99996, 2)).toBe('99.99%');
    expect(english.percent(1)).toBe('100%');
  });

  it('are rounded down from the decimal that they are, not from the float that stands for it', () => {
    for (let part = 0; part <= 1_000; part += 1) expect(english.percent(part / 1_000)).toBe(`${part / 10}%`);
  });

  it('are written as the language does', () => {
    expect(english.percent('0.9812')).toBe('98.1%');
    expect(plain(french.percent('0.9812'))).toBe('98,1 %');
    expect(english.percent(0.98124, 2)).toBe('98.12%');
    expect(english.number('1234567')).toBe('1,234,567');
    expect(plain(french.number('0.015', { style: 'percent', maximumFractionDigits: 1 }))).toBe('1,5 %');
  });
});

describe('times', () => {
  it.each([
    [0, 'now'],
    [59, '59 sec. ago'],
    [60, '1 min. ago'],
    [3_599, '59 min. ago'],
    [7_200, '2 hr. ago'],
    [86_400, '1 day ago'],
    [47 * 3_600, '1 day ago'],
    [5 * 86_400, '5 days ago'],
  ])('%s seconds ago are told in the largest unit: %s', (seconds, text) => {
    expect(english.ago(seconds)).toBe(text);
  });

  it.each([
    [0, '0 sec'],
    [45, '45 sec'],
    [90, '1.5 min'],
    [3_600, '1 hr'],
    [129_600, '1.5 days'],
  ])('something that takes %s seconds takes %s', (seconds, text) => {
    expect(english.duration(seconds)).toBe(text);
  });

  it('are the words of the language', () => {
    expect(plain(french.ago(0))).toBe('maintenant');
    expect(plain(french.ago(86_400))).toBe('il y a 1 j');
    expect(plain(french.ago(180))).toBe('il y a 3 min');
    expect(plain(french.duration(5_400))).toBe('1,5 h');
  });
});
