import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { noEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { decimalAnswer } from '../../../contract/schemas/primitives.js';
import type { AskedBy } from '../../../server/features/rates/offer.rules.js';
import {
  contextFor,
  offerFromPrice,
  priceUrl,
  reasonOfStatus,
} from '../../../server/features/rates/sep38.rules.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const corridor = corridorFixture();
const hundred: AskedBy = { amount: '100', deliveryMethod: null };

interface Vector {
  name: string;
  asked: string;
  answer: unknown;
  offer: Record<string, unknown>;
}

const vectors = load<{ standard: Vector[]; older: Vector[]; refused: Pick<Vector, 'name' | 'answer'>[] }>(
  'sep38-price',
);

const resultOf = (answer: unknown, asked: AskedBy = hundred, served = corridor) =>
  offerFromPrice(answer, served, asked, 'sep6');

function offerOf(answer: unknown, asked?: AskedBy) {
  const result = resultOf(answer, asked);
  return 'offer' in result ? result.offer : undefined;
}

describe('a SEP-38 price', () => {
  it.each([...vectors.standard, ...vectors.older])('is read: $name', ({ asked, answer, offer }) => {
    const { rate, ...expected } = offer;
    const found = offerOf(answer, { ...hundred, amount: asked });
    expect(found).toMatchObject({ ...expected, tier: 'anchor', estimate: null });
    if (rate !== undefined) expect(Number(found?.rate)).toBe(Number(rate));
  });

  it.each(vectors.refused)('is refused: $name', ({ answer }) => {
    expect(resultOf(answer)).toEqual({ refused: expect.any(String) });
  });

  it('is shown in its own direction only where the answer is quoted', () => {
    const shown = { price: '0.18', totalPrice: '0.2', sellAmount: '100', buyAmount: '500', context: 'sep6' };
    expect(offerOf(vectors.standard[3]?.answer)?.sep38).toEqual(shown);
  });

  it('is no offer if the payout rounds down to zero', () => {
    const shilling = corridorFixture({ currency: 'UGX', payoutDecimals: 0 });
    const answer = { sell_amount: '100', buy_amount: '0.99' };
    expect(resultOf(answer, hundred, shilling)).toEqual({ refused: 'buy_amount rounds to nothing' });
  });

  it('promises no more than the anchor, in whole minor units, at a rate that matches its amounts', () => {
    const Exact = Decimal.clone({ precision: 80, toExpNeg: -90, toExpPos: 90 });
    const decimal = (whole: number) =>
      fc
        .integer({ min: 0, max: 10 })
        .chain((shift) => fc.tuple(fc.bigInt(1n, 10n ** BigInt(whole + shift) - 1n), fc.constant(shift)))
        .map(([digits, shift]) => new Exact(digits.toString()).div(new Exact(10).pow(shift)).toFixed());
    const places = fc.constantFrom(0, 2, 3);
    fc.assert(
      fc.property(places, decimal(9), decimal(12), (payoutDecimals, sellAmount, buyAmount) => {
        const answer = { sell_amount: sellAmount, buy_amount: buyAmount };
        const result = resultOf(answer, hundred, corridorFixture({ payoutDecimals }));
        const least = new Exact(10).pow(-payoutDecimals);
        if (!('offer' in result)) return expect(least.gt(buyAmount)).toBe(true);
        const { sellAmount: sold, receiveAmount, rate } = result.offer;
        const kept = new Exact(buyAmount).sub(receiveAmount);
        expect([kept.gte(0), kept.lt(least), new Exact(sold).gte(sellAmount)]).toEqual([true, true, true]);
        expect(new Exact(receiveAmount).decimalPlaces()).toBeLessThanOrEqual(payoutDecimals);
        expect(new Exact(sold).decimalPlaces()).toBeLessThanOrEqual(7);
        expect(new Exact(rate).mul(sold).lte(receiveAmount)).toBe(true);
        expect(new Exact(rate).gte(new Exact(receiveAmount).div(sold).mul('0.999999999'))).toBe(true);
        for (const text of [sold, receiveAmount, rate]) expect(decimalAnswer.parse(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a SEP-38 price for a payout', () => {
  const asked: AskedBy = { receive: '150000', deliveryMethod: null };
  const priced = (sell_amount: string, buy_amount = '150000') => resultOf({ sell_amount, buy_amount }, asked);

  it('is adjusted where the anchor answers for another payout, and not where it takes another amount', () => {
    expect(priced('98.5')).toMatchObject({ offer: { sellAmount: '98.5', adjusted: false } });
    const lots = { receiveAmount: '825000.00', adjusted: true };
    expect(priced('542', '825000')).toMatchObject({ offer: lots });
  });

  it.each([
    ['9.9999999', { reason: 'refused_amount' }],
    ['10', { offer: {} }],
    ['10000', { offer: {} }],
    ['10000.0000001', { reason: 'refused_amount' }],
  ])('that takes %s is judged by the limits of the corridor', (sell, result) => {
    expect(priced(sell)).toMatchObject(result);
  });
});

describe('a SEP-38 price as it is written', () => {
  const fee = { total: '10', asset: corridor.sellAsset };
  const plain = { total_price: '0.2', price: '0.18', sell_amount: '100', buy_amount: '500', fee };
  const code = corridor.sellAsset.replace('stellar:', '');
  const amount = (text: string, exponent: string) =>
    fc.constantFrom<unknown>(
      text,
      Number(text),
      exponent,
      exponent.toLowerCase(),
      `${text}.${'0'.repeat(20)}`,
      ` ${text}`,
    );
  const spelled = fc.record({
    total_price: fc.constantFrom<unknown>('0.2', 0.2, '2E-1', null, undefined),
    price: fc.constantFrom<unknown>('0.18', 0.18, '1.8E-1', null),
    sell_amount: amount('100', '1E+2'),
    buy_amount: amount('500', '5.0E+2'),
    sell_asset: fc.constantFrom(undefined, null, corridor.sellAsset, code, 'USDC'),
    buy_asset: fc.constantFrom(undefined, corridor.buyAsset, 'BRL'),
    fee: fc.record({
      total: amount('10', '1E+1'),
      asset: fc.constantFrom(corridor.sellAsset, code, 'USDC', corridor.sellAsset.concat('&')),
      details: fc.jsonValue(),
    }),
    expires_at: fc.jsonValue(),
  });

  it('is one offer, however it is spelled', () => {
    const expected = { ...offerOf(plain), sep38: null, fee };
    fc.assert(
      fc.property(spelled, (answer) => expect({ ...offerOf(answer), sep38: null }).toEqual(expected)),
      { numRuns: 50 },
    );
  });

  it('may have no fee, as 0E-7, and a price of 28 digits', () => {
    const price = '0.0006542031373123764975429386';
    const amounts = { sell_amount: '1E+2', buy_amount: '152857.72' };
    const found = offerOf({ ...amounts, total_price: price, price, fee: { ...fee, total: '0E-7' } });
    expect(found).toMatchObject({ receiveAmount: '152857.72', fee: { total: '0' } });
  });

  it.each([
    [{ buy_amount: '152,857.72' }, 'buy_amount is no amount'],
    [{ sell_amount: null }, 'sell_amount is no amount'],
    [{ price: 'low' }, 'price is no price'],
    [{ total_price: '0,2' }, 'total_price is no price'],
    [{ fee: 'free' }, 'fee is no object'],
    [{ fee: { ...fee, total: 'free' } }, 'fee.total is no amount'],
    [{ fee: { ...fee, total: '100' } }, 'fee.total eats the amount'],
    [{ fee: { ...fee, asset: 'EURC' } }, 'fee.asset is neither asset of the pair'],
    [
      { fee: { ...fee, asset: corridor.buyAsset } },
      'the amounts, the prices and the fee contradict each other',
    ],
    [{ sell_asset: 'EURC' }, 'sell_asset is another asset'],
    [{ buy_asset: 'iso4217:NGN' }, 'buy_asset is another asset'],
    [{ buy_amount: '5' }, 'the amounts, the prices and the fee contradict each other'],
  ])('is refused with the member: %j', (members, refused) => {
    expect(resultOf({ ...plain, ...members })).toEqual({ refused });
  });
});

describe('the formulas of SEP-38', () => {
  interface Formulas {
    name: string;
    decimals: number;
    answer: object;
  }
  const { holds, contradicts } = load<Record<'holds' | 'contradicts', Formulas[]>>('sep38-formulas');
  const refused = 'the amounts, the prices and the fee contradict each other';

  it.each(holds)('hold within rounding: $name', ({ answer, decimals }) => {
    const served = corridorFixture({ payoutDecimals: decimals });
    expect(resultOf(answer, hundred, served)).not.toMatchObject({ refused });
  });

  it.each(contradicts)('do not hold: $name', ({ answer, decimals }) => {
    expect(resultOf(answer, hundred, corridorFixture({ payoutDecimals: decimals }))).toEqual({ refused });
  });
});

describe('the address of a price', () => {
  const senegal = corridorFixture({ id: 'usdc-xof-sn', country: 'SN', countryMatters: true });
  const pair = { sell_asset: corridor.sellAsset, buy_asset: corridor.buyAsset, context: 'sep6' };

  it.each([
    [{ amount: '100', deliveryMethod: 'PIX' }, corridor, { sell_amount: '100', buy_delivery_method: 'PIX' }],
    [{ receive: '150000.5', deliveryMethod: undefined }, corridor, { buy_amount: '150000.5' }],
    [{ amount: '100', deliveryMethod: undefined }, senegal, { sell_amount: '100', country_code: 'SN' }],
  ])('for %j names no more than that', (asked, served, members) => {
    const url = new URL(priceUrl('https://a.example/sep38', served, { ...asked, context: 'sep6' }));
    expect(url.pathname).toBe('/sep38/price');
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...pair, ...members });
  });

  it.each([
    [{ directPaymentServer: 'https://a.example' }, 'sep31'],
    [{ directPaymentServer: 'https://a.example', transferServerSep6: 'https://a.example' }, 'sep6'],
    [{}, 'sep6'],
  ])('of an anchor with %j is in the context %s', (endpoints, context) => {
    expect(contextFor({ ...noEndpoints, ...endpoints })).toBe(context);
  });
});

describe('a status other than 200', () => {
  it.each([
    [401, '', 'unauthorized'],
    [403, '<html>Forbidden</html>', 'unauthorized'],
    [404, '', 'not_served'],
    [429, '', 'busy'],
    [400, '{"error":"amount is below the minimum of 5 USDC"}', 'refused_amount'],
    [422, '{"error":"The sell_amount is too large"}', 'refused_amount'],
    [400, '{"error":"unsupported asset pair"}', 'not_served'],
    [400, '{"error":"Unsupported context. Should be one of [sep6, sep31]."}', 'not_served'],
    [400, '<html>Bad request</html>', 'refused_amount'],
    [302, '', 'error'],
    [500, '', 'error'],
    [503, '<html>', 'error'],
  ])('%i %s means %s', (status, body, reason) => {
    expect(reasonOfStatus(status, body)).toBe(reason);
  });

  it.each([
    ['{"error":"sell_amount is required"}', 'receive_unsupported'],
    ['{"error":"missing field `sell_amount`"}', 'receive_unsupported'],
    ['{"error":"buy_amount is not supported"}', 'receive_unsupported'],
    ['{"error":"unknown parameter: buy_amount"}', 'receive_unsupported'],
    ['{"error":"buy_amount is below the minimum of 1000"}', 'refused_amount'],
    ['{"error":"unsupported asset pair"}', 'not_served'],
  ])('says of %s that it is %s where a payout was asked for', (body, reason) => {
    expect(reasonOfStatus(400, body, { receive: '150000' })).toBe(reason);
    expect(reasonOfStatus(400, body, { amount: '100' })).not.toBe('receive_unsupported');
  });
});

/** SELL and BUY in a vector stand for the assets of the corridor. */
function load<Vectors>(name: string): Vectors {
  const text = readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(
    text.replaceAll('"SELL"', `"${corridor.sellAsset}"`).replaceAll('"BUY"', `"${corridor.buyAsset}"`),
  );
}
