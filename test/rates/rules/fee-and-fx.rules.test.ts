import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rateFor, readFeeSchedule, readFxTable } from '../../../server/features/rates/estimate.rules.js';
import { fxMaxAgeMs } from '../../../server/features/rates/feature.js';

const issuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const usdc = `stellar:USDC:${issuer}`;

describe('the fee of SEP-24 and SEP-6 /info', () => {
  const read = (terms: unknown) => readFeeSchedule({ withdraw: { USDC: terms } }, usdc, 'sep24');

  it('is read from JSON numbers without float errors', () => {
    const terms = { enabled: true, min_amount: 0.1, max_amount: 1000, fee_fixed: 0.1, fee_percent: 0.3 };
    expect(read(terms)).toEqual({
      kind: 'schedule',
      schedule: {
        source: 'sep24',
        feeFixed: '0.1',
        feePercent: '0.3',
        feeMinimum: '0',
        min: '0.1',
        max: '1000',
      },
    });
  });

  it('is read from decimal strings too', () => {
    expect(read({ fee_fixed: '1.50', fee_minimum: '2' })).toMatchObject({
      kind: 'schedule',
      schedule: { feeFixed: '1.5', feePercent: '0', feeMinimum: '2' },
    });
  });

  it.each([
    ['disabled', { enabled: false, fee_fixed: 1 }],
    ['without a fee, which may be a complex one', { enabled: true }],
    ['with a null fee', { enabled: true, fee_fixed: null, fee_percent: null }],
  ])('is unknown if the withdrawal is %s', (_name, terms) => {
    expect(read(terms)).toEqual({ kind: 'none' });
  });

  it('is unknown for an asset that is not listed, even if it is named like a property of Object', () => {
    expect(readFeeSchedule({ withdraw: {} }, usdc, 'sep24')).toEqual({ kind: 'none' });
    expect(readFeeSchedule({ withdraw: {} }, `stellar:constructor:${issuer}`, 'sep24')).toEqual({
      kind: 'none',
    });
  });

  it.each([
    ['negative', { fee_fixed: -1 }],
    ['enormous', { fee_fixed: 1e300 }],
    ['a decimal comma', { fee_fixed: '1,5' }],
    ['an object', { fee_fixed: {} }],
    ['a boolean', { fee_fixed: true }],
  ])('is malformed when %s, which is named', (_name, terms) => {
    const refused = 'withdraw.USDC.fee_fixed is no amount';
    expect(read(terms)).toEqual({ kind: 'malformed', refused });
  });

  it.each([
    ['no withdrawals, as PHP writes them', { withdraw: [] }],
    ['no terms', { withdraw: { USDC: [] } }],
    ['a withdrawal that is off', { withdraw: { USDC: { enabled: 'false', fee_fixed: 1 } } }],
  ])('is unknown of %s', (_name, json) => {
    expect(readFeeSchedule(json, usdc, 'sep24')).toEqual({ kind: 'none' });
  });

  it('is one schedule, however it is spelled; a limit that cannot be read costs the limit', () => {
    const one = fc.constantFrom(1, 1.0, '1', '1.0', '1E+0', '1.00000000000000000000', ' 1 ');
    const noLimit = fc.constantFrom(undefined, null, '', '-1', -1, 'none', {});
    const terms = fc.record({
      enabled: fc.constantFrom(undefined, null, true, 'true', 1),
      fee_fixed: one,
      fee_percent: one,
      fee_minimum: fc.constantFrom(undefined, null, '', 0, '0E-7'),
      min_amount: noLimit,
      max_amount: fc.oneof(noLimit, fc.constantFrom(1e18, '1e+18', '1000000000000000000')),
      authentication_required: fc.jsonValue(),
      fields: fc.jsonValue(),
    });
    const name = fc.constantFrom('USDC', `USDC:${issuer}`, usdc);
    fc.assert(
      fc.property(terms, name, fc.jsonValue(), (own, key, other) => {
        const read = readFeeSchedule(
          { withdraw: { EURC: other, [key]: own }, deposit: other },
          usdc,
          'sep24',
        );
        const max = [1e18, '1e+18', '1000000000000000000'].some((most) => most === own.max_amount);
        expect(read).toEqual({
          kind: 'schedule',
          schedule: {
            source: 'sep24',
            feeFixed: '1',
            feePercent: '1',
            feeMinimum: '0',
            min: null,
            max: max ? '1000000000000000000' : null,
          },
        });
      }),
      { numRuns: 50 },
    );
  });

  it.each([null, 5, 'x', [], { withdraw: [1] }, { withdraw: 'x' }, {}])(
    'is malformed where /info is %j',
    (json) => {
      expect(readFeeSchedule(json, usdc, 'sep6').kind).toBe('malformed');
    },
  );
});

describe('the FX reference', () => {
  const nowMs = Date.parse('2026-11-21T09:00:00Z');
  const limits = { nowMs, maxAgeMs: 172_800_000 };
  const usdcNgn = { code: 'USDC', currency: 'NGN' };

  function table(patch: object = {}) {
    const read = readFxTable({
      base: 'USD',
      date: '2026-11-21',
      rates: { NGN: 1541.25, EUR: '0.92' },
      ...patch,
    });
    if (read === undefined) throw new Error('the table was refused');
    return read;
  }

  it('values a stablecoin at par with its peg', () => {
    expect(rateFor(table(), usdcNgn, limits)).toEqual({ rate: '1541.25', base: 'USD', date: '2026-11-21' });
  });

  it('converts through the base if the peg is another currency, rounded down', () => {
    const rate = rateFor(table(), { code: 'EURC', currency: 'NGN' }, limits);
    expect(rate).toEqual({ rate: '1675.27173913', base: 'EUR', date: '2026-11-21' });
    const inverse = rateFor(table({ base: 'EUR', rates: { USD: 1.25, NGN: 1600 } }), usdcNgn, limits);
    expect(inverse).toMatchObject({ rate: '1280' });
  });

  it.each([
    ['a stablecoin without a peg', { code: 'XLM', currency: 'NGN' }, 'no_par'],
    ['a currency it lacks', { code: 'USDC', currency: 'KES' }, 'no_reference'],
    ['an inherited name', { code: 'USDC', currency: 'constructor' }, 'no_reference'],
  ])('gives the reason instead of a rate for %s', (_name, asset, missing) => {
    expect(rateFor(table(), asset, limits)).toEqual({ missing });
  });

  it('gives nothing once it is stale; a date lasts to the end of its UTC day', () => {
    const twoDays = (date: string) => {
      const reading = rateFor(table({ date }), usdcNgn, limits);
      if ('missing' in reading) expect(reading).toEqual({ missing: 'stale_reference' });
      return 'rate' in reading;
    };
    expect(twoDays('2026-11-19')).toBe(true);
    expect(twoDays('2026-11-18')).toBe(false);
    expect(twoDays('2026-11-19T09:00:00')).toBe(true);
    expect(twoDays('2026-11-19T08:59:59Z')).toBe(false);
    expect(twoDays('2026-11-25')).toBe(false);
  });

  it.each([
    ['2026-11-20', '2026-11-23T09:00:00Z'],
    ['2026-04-02', '2026-04-06T23:00:00Z'],
  ])('of %s is in use on %s, since sources of weekdays pause at weekends and Easter', (date, now) => {
    const about = { nowMs: Date.parse(now), maxAgeMs: fxMaxAgeMs };
    expect(rateFor(table({ date }), usdcNgn, about)).toMatchObject({ rate: '1541.25' });
  });

  it('takes a date of tomorrow, where a source is in a time zone that is ahead, and none of later', () => {
    const reads = (date: string) => 'rate' in rateFor(table({ date }), usdcNgn, limits);
    expect(reads('2026-11-22')).toBe(true);
    expect(reads('2026-11-23')).toBe(false);
    expect(reads('2026-11-22T09:00:00Z')).toBe(true);
    expect(reads('2026-11-22T09:00:01Z')).toBe(false);
  });

  it.each([
    ['negative', -1],
    ['zero', 0],
    ['a word', 'high'],
    ['enormous', 1e300],
    ['an object', { value: 1 }],
  ])('ignores an entry that is %s', (_name, value) => {
    expect(rateFor(table({ rates: { NGN: value } }), usdcNgn, limits)).toEqual({ missing: 'no_reference' });
  });

  it.each([
    null,
    [],
    { base: 'USD' },
    { base: 'usd', date: '2026-11-21', rates: {} },
    { base: 'USD', date: 'soon', rates: {} },
  ])('is refused if it is %j', (json) => {
    expect(readFxTable(json)).toBeUndefined();
  });
});
