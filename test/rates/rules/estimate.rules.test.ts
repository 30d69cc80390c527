import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import {
  offerFromFee,
  rateFor,
  readFeeSchedule,
  readFxTable,
} from '../../../server/features/rates/estimate.rules.js';
import { fxMaxAgeMs } from '../../../server/features/rates/fx-reference.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

describe('the fee of SEP-24 and SEP-6 /info', () => {
  const read = (terms: unknown) => readFeeSchedule({ withdraw: { USDC: terms } }, usdc, 'sep24');

  it.each([
    [
      { min_amount: 0.1, max_amount: 1000, fee_fixed: 0.1, fee_percent: 0.3 },
      { feeFixed: '0.1', feePercent: '0.3', feeMinimum: '0', min: '0.1', max: '1000' },
    ],
    [
      { fee_fixed: '1.50', fee_minimum: '2' },
      { feeFixed: '1.5', feePercent: '0', feeMinimum: '2', min: null, max: null },
    ],
    [{ fee_percent: 1 }, { feeFixed: '0', feePercent: '1', feeMinimum: '0', min: null, max: null }],
  ])('is read from numbers without float errors, and from texts: %j', (terms, schedule) => {
    expect(read(terms)).toEqual({ source: 'sep24', ...schedule });
  });

  it.each([
    ['that is disabled', { withdraw: { USDC: { enabled: false, fee_fixed: 1 } } }],
    ['that is disabled in a text', { withdraw: { USDC: { enabled: 'false', fee_fixed: 1 } } }],
    ['without a fee, which may be a complex one', { withdraw: { USDC: { enabled: true } } }],
    ['with a null fee', { withdraw: { USDC: { fee_fixed: null, fee_percent: null } } }],
    ['without terms', { withdraw: { USDC: [] } }],
    ['of another asset', { withdraw: { EURC: { fee_fixed: 1 } } }],
    ['that PHP writes as an empty list', { withdraw: [] }],
  ])('is unknown of a withdrawal %s', (_name, json) => {
    expect(readFeeSchedule(json, usdc, 'sep24')).toBeNull();
  });

  it('is unknown of an asset that is named like a property of Object', () => {
    expect(readFeeSchedule({ withdraw: {} }, usdc.replace('USDC', 'constructor'), 'sep24')).toBeNull();
  });

  it.each([
    [{ fee_fixed: -1 }, 'withdraw.USDC.fee_fixed is no amount'],
    [{ fee_fixed: 1e300 }, 'withdraw.USDC.fee_fixed is no amount'],
    [{ fee_fixed: '1,5' }, 'withdraw.USDC.fee_fixed is no amount'],
    [{ fee_fixed: true }, 'withdraw.USDC.fee_fixed is no amount'],
    [{ fee_percent: {} }, 'withdraw.USDC.fee_percent is no number'],
    [{ fee_fixed: 1, fee_minimum: 'some' }, 'withdraw.USDC.fee_minimum is no amount'],
    ['1 %', 'withdraw.USDC is no object'],
  ])('%j is malformed, and the member is named', (terms, refused) => {
    expect(read(terms)).toEqual({ refused });
  });

  it.each([null, 5, 'x', [], { withdraw: [1] }, { withdraw: 'x' }, {}])(
    'is malformed where /info is %j',
    (json) => expect(readFeeSchedule(json, usdc, 'sep6')).toEqual({ refused: expect.any(String) }),
  );

  it('is one schedule, however it is spelled; a limit that cannot be read costs the limit', () => {
    const one = fc.constantFrom(1, 1.0, '1', '1.0', '1E+0', '1.00000000000000000000', ' 1 ');
    const noLimit = fc.constantFrom(undefined, null, '', '-1', -1, 'none', {});
    const large = fc.constantFrom(1e18, '1e+18', '1000000000000000000');
    const terms = fc.record({
      enabled: fc.constantFrom(undefined, null, true, 'true', 1),
      fee_fixed: one,
      fee_percent: one,
      fee_minimum: fc.constantFrom(undefined, null, '', 0, '0E-7'),
      min_amount: noLimit,
      max_amount: large,
      authentication_required: fc.jsonValue(),
      fields: fc.jsonValue(),
    });
    const name = fc.constantFrom('USDC', usdc.replace('stellar:', ''), usdc);
    const fees = { feeFixed: '1', feePercent: '1', feeMinimum: '0' };
    const schedule = { source: 'sep24', ...fees, min: null, max: '1000000000000000000' };
    fc.assert(
      fc.property(terms, name, fc.jsonValue(), (own, key, other) => {
        const json = { withdraw: { [key]: own, OTHER: other }, deposit: other };
        expect(readFeeSchedule(json, usdc, 'sep24')).toEqual(schedule);
      }),
      { numRuns: 50 },
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
  const fixed = (whole: number, places: number) =>
    fc
      .integer({ min: 1, max: 10 ** (whole + places) - 1 })
      .map((digits) => new Decimal(digits).div(10 ** places).toFixed());

  it('reads fee_percent as percentage points, rounds the payout down, and shows its inputs', () => {
    expect(offerFromFee(ngn, { amount: '100', deliveryMethod: 'cash' }, schedule, fx)).toEqual({
      offer: {
        tier: 'estimate',
        sellAmount: '100',
        receiveAmount: '150271.87',
        adjusted: false,
        rate: '1502.7187',
        fee: { total: '2.5', asset: ngn.sellAsset },
        deliveryMethod: 'cash',
        sep38: null,
        estimate: {
          source: 'sep24',
          feeFixed: '0.5',
          feePercent: '2',
          feeMinimum: '0',
          fxRate: '1541.25',
          fxBase: 'USD',
          fxDate: '2026-11-21',
        },
      },
    });
  });

  it.each([
    [{ amount: '100' }, { feeMinimum: '5' }, { sellAmount: '100', receiveAmount: '146418.75' }],
    [{ amount: '20' }, {}, { sellAmount: '20' }],
    [{ amount: '5000' }, {}, { sellAmount: '5000' }],
    [{ receive: '150271.87' }, {}, { sellAmount: '99.9999968', receiveAmount: '150271.87' }],
  ])('of %j with %j is %j', (asked, terms, offer) => {
    const made = offerFromFee(ngn, { ...asked, deliveryMethod: null }, { ...schedule, ...terms }, fx);
    expect(made).toMatchObject({ offer: { ...offer, adjusted: false } });
  });

  it.each([
    ['under the minimum of the anchor', { amount: '19.99' }, {}],
    ['over the maximum of the anchor', { amount: '5000.01' }, {}],
    ['eaten by the fee', { amount: '100' }, { feeFixed: '100' }],
    ['for a payout under the minimum of the corridor', { receive: '10000' }, { min: null }],
    ['for a payout over the maximum of the corridor', { receive: '99999999' }, { max: null }],
    ['for a payout under the minimum of the anchor', { receive: '150000' }, { min: '150' }],
    ['for a payout over the maximum of the anchor', { receive: '150000' }, { max: '90' }],
    ['for a payout that a fee of 100 % always eats', { receive: '150000' }, { feePercent: '100' }],
  ])('refuses an amount %s', (_name, asked, terms) => {
    const made = offerFromFee(ngn, { ...asked, deliveryMethod: null }, { ...schedule, ...terms }, fx);
    expect(made).toEqual({ reason: 'refused_amount' });
  });

  it('never promises more than its inputs allow', () => {
    fc.assert(
      fc.property(
        fixed(5, 7),
        fixed(2, 7),
        fixed(2, 4),
        fixed(5, 4),
        (amount, feeFixed, feePercent, rate) => {
          const terms = { ...schedule, min: null, max: null, feeFixed, feePercent };
          const made = offerFromFee(ngn, { amount, deliveryMethod: null }, terms, { ...fx, rate });
          const Exact = Decimal.clone({ precision: 80 });
          const percent = new Exact(amount).mul(feePercent).div(100);
          const exact = new Exact(amount).sub(percent).sub(feeFixed).mul(rate);
          if ('offer' in made) expect(exact.gte(made.offer.receiveAmount)).toBe(true);
          else expect(exact.lt('0.02') || exact.lt(new Exact(rate).mul('0.000001'))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('for a payout sells the least amount, to a stroop, that reaches it', () => {
    const wide = corridorFixture({ min: '0.0000001', max: '999999999' });
    const fees = fc.record({ feeFixed: fixed(1, 7), feePercent: fixed(2, 4), feeMinimum: fixed(1, 7) });
    fc.assert(
      fc.property(fixed(6, 2), fees, fixed(5, 4), (receive, own, rate) => {
        const terms = { ...schedule, min: null, max: null, ...own };
        const offerFor = (asked: { receive: string } | { amount: string }) => {
          const made = offerFromFee(wide, { ...asked, deliveryMethod: null }, terms, { ...fx, rate });
          return 'offer' in made ? made.offer : undefined;
        };
        const offer = offerFor({ receive });
        if (offer === undefined) return expect(new Decimal(receive).div(rate).gt('1000')).toBe(true);
        expect(new Decimal(offer.receiveAmount).gte(receive)).toBe(true);
        const less = offerFor({ amount: new Decimal(offer.sellAmount).sub('0.0000001').toFixed() });
        if (less !== undefined) expect(new Decimal(less.receiveAmount).lt(receive)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the FX reference', () => {
  const limits = { nowMs: Date.parse('2026-11-21T09:00:00Z'), maxAgeMs: 172_800_000 };
  const usdcNgn = { code: 'USDC', currency: 'NGN' };
  const plain = { base: 'USD', date: '2026-11-21', rates: { NGN: 1541.25, EUR: '0.92' } };
  function read(patch: object, asset = usdcNgn, about = limits) {
    const table = readFxTable({ ...plain, ...patch });
    return table === undefined ? undefined : rateFor(table, asset, about);
  }

  it.each([
    ['at par with its peg', {}, usdcNgn, '1541.25'],
    ['through the base, rounded down', {}, { code: 'EURC', currency: 'NGN' }, '1675.27173913'],
    ['through another base', { base: 'EUR', rates: { USD: 1.25, NGN: 1600 } }, usdcNgn, '1280'],
  ])('values a stablecoin %s', (_name, patch, asset, rate) => {
    expect(read(patch, asset)).toMatchObject({ rate, date: '2026-11-21' });
  });

  it.each([
    ['a stablecoin without a peg', {}, { code: 'XLM', currency: 'NGN' }, 'no_par'],
    ['a currency it lacks', {}, { code: 'USDC', currency: 'KES' }, 'no_reference'],
    ['an inherited name', {}, { code: 'USDC', currency: 'constructor' }, 'no_reference'],
    ['a negative entry', { rates: { NGN: -1 } }, usdcNgn, 'no_reference'],
    ['an entry of zero', { rates: { NGN: 0 } }, usdcNgn, 'no_reference'],
    ['a word', { rates: { NGN: 'high' } }, usdcNgn, 'no_reference'],
    ['an enormous entry', { rates: { NGN: 1e300 } }, usdcNgn, 'no_reference'],
    ['an object', { rates: { NGN: { value: 1 } } }, usdcNgn, 'no_reference'],
  ])('gives the reason instead of a rate for %s', (_name, patch, asset, missing) => {
    expect(read(patch, asset)).toEqual({ missing });
  });

  it.each([
    ['2026-11-19', true],
    ['2026-11-18', false],
    ['2026-11-19T09:00:00', true],
    ['2026-11-19T08:59:59Z', false],
    ['2026-11-22', true],
    ['2026-11-23', false],
    ['2026-11-22T09:00:00Z', true],
    ['2026-11-22T09:00:01Z', false],
  ])(
    'dated %s, a day to its end in UTC, is in use two days later and up to a day ahead: %s',
    (date, inUse) => {
      const reading = read({ date });
      expect(reading).toMatchObject(inUse ? { rate: '1541.25' } : { missing: 'stale_reference' });
    },
  );

  it.each([
    ['2026-11-20', '2026-11-23T09:00:00Z'],
    ['2026-04-02', '2026-04-06T23:00:00Z'],
  ])('of %s is in use on %s, since sources of weekdays pause at weekends and Easter', (date, now) => {
    const about = { nowMs: Date.parse(now), maxAgeMs: fxMaxAgeMs };
    expect(read({ date }, usdcNgn, about)).toMatchObject({ rate: '1541.25' });
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
