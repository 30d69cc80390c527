import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { offerFromSep38 } from '../../../server/features/rates/offer.rules.js';
import { priceUrl, readPrice, reasonOfStatus } from '../../../server/features/rates/sep38.rules.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const corridor = corridorFixture();

interface Vector {
  name: string;
  asked: string;
  answer: unknown;
  offer: Record<string, unknown>;
}

/** SELL and BUY in a vector stand for the assets of the corridor. */
function load(): { standard: Vector[]; older: Vector[]; refused: Pick<Vector, 'name' | 'answer'>[] } {
  const text = readFileSync(new URL('../../vectors/sep38-price.json', import.meta.url), 'utf8');
  return JSON.parse(
    text.replaceAll('"SELL"', `"${corridor.sellAsset}"`).replaceAll('"BUY"', `"${corridor.buyAsset}"`),
  );
}

const vectors = load();

function offerOf({ asked, answer }: Vector) {
  const price = readPrice(answer, corridor, 'sep6');
  if (isRefused(price)) return undefined;
  const offer = offerFromSep38(corridor, { amount: asked, deliveryMethod: null }, price);
  return 'offer' in offer ? offer.offer : undefined;
}

describe('a SEP-38 price', () => {
  it.each(vectors.standard)('is read in the form of the standard: $name', (vector) => {
    const { rate, ...expected } = vector.offer;
    const offer = offerOf(vector);
    expect(offer).toMatchObject({ ...expected, tier: 'anchor', estimate: null });
    expect(Number(offer?.rate)).toBe(Number(rate));
  });

  it.each(vectors.older)('is read in older dialects: $name', (vector) => {
    expect(offerOf(vector)).toMatchObject(vector.offer);
  });

  it.each(vectors.refused)('is refused: $name', ({ answer }) => {
    expect(readPrice(answer, corridor, 'sep6')).toEqual({ refused: expect.any(String) });
  });

  it('is quoted in the answer only in its own direction', () => {
    const [, , , vector] = vectors.standard;
    const offer = vector && offerOf(vector);
    expect(offer?.sep38).toEqual({
      price: '0.18',
      totalPrice: '0.2',
      sellAmount: '100',
      buyAmount: '500',
      context: 'sep6',
    });
  });

  it('is not an offer if the payout rounds down to zero', () => {
    const shilling = corridorFixture({ currency: 'UGX', payoutDecimals: 0 });
    const price = readPrice({ sell_amount: '100', buy_amount: '0.99' }, shilling, 'sep6');
    if (isRefused(price)) throw new Error(price.refused);
    const offer = offerFromSep38(shilling, { amount: '100', deliveryMethod: null }, price);
    expect(offer).toEqual({ reason: 'malformed' });
  });
});

describe('a SEP-38 price as it is written', () => {
  const fee = { total: '10', asset: corridor.sellAsset };
  const plain = { total_price: '0.2', price: '0.18', sell_amount: '100', buy_amount: '500', fee };
  const code = corridor.sellAsset.replace('stellar:', '');
  const padded = (text: string) => `${text}${'0'.repeat(20)}`;
  const amount = (text: string, exponent: string) =>
    fc.constantFrom<unknown>(
      text,
      Number(text),
      exponent,
      exponent.toLowerCase(),
      padded(`${text}.`),
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
      asset: fc.constantFrom(corridor.sellAsset, code, 'USDC', `${corridor.sellAsset}&`),
      details: fc.jsonValue(),
    }),
    expires_at: fc.jsonValue(),
  });

  it('is one offer, however it is spelled', () => {
    const expected = offerOf({ name: '', asked: '100', answer: plain, offer: {} });
    fc.assert(
      fc.property(spelled, (answer) => {
        const offer = offerOf({ name: '', asked: '100', answer, offer: {} });
        expect({ ...offer, sep38: null }).toEqual({ ...expected, sep38: null });
        expect(offer?.fee).toEqual({ total: '10', asset: corridor.sellAsset });
      }),
      { numRuns: 50 },
    );
  });

  it('may have no fee, as 0E-7, and a price of 28 digits', () => {
    const answer = {
      total_price: '0.0006542031373123764975429386',
      price: '0.0006542031373123764975429386',
      sell_amount: '1E+2',
      buy_amount: '152857.72',
      fee: { total: '0E-7', asset: corridor.sellAsset },
    };
    expect(offerOf({ name: '', asked: '100', answer, offer: {} })).toMatchObject({
      receiveAmount: '152857.72',
      fee: { total: '0' },
    });
  });

  it.each([
    [{ buy_amount: '152,857.72' }, 'buy_amount is no amount'],
    [{ sell_amount: null }, 'sell_amount is no amount'],
    [{ total_price: '0,2' }, 'total_price is no price'],
    [{ fee: { total: 'free', asset: corridor.sellAsset } }, 'fee.total is no amount'],
    [{ fee: { total: '10', asset: 'EURC' } }, 'fee.asset is neither asset of the pair'],
    [{ sell_asset: 'EURC' }, 'sell_asset is another asset'],
    [{ buy_amount: '5' }, 'the amounts, the prices and the fee contradict each other'],
  ])('is refused with the member: %j', (members, refused) => {
    expect(readPrice({ ...plain, ...members }, corridor, 'sep6')).toEqual({ refused });
  });
});

describe('the address of a price', () => {
  it('requests the sell amount in a context that is allowed for indicative prices', () => {
    const url = new URL(priceUrl('https://a.example/sep38', corridor, ask({ deliveryMethod: 'PIX' })));
    expect(url.pathname).toBe('/sep38/price');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      sell_asset: corridor.sellAsset,
      buy_asset: 'iso4217:BRL',
      sell_amount: '100',
      context: 'sep6',
      buy_delivery_method: 'PIX',
    });
  });

  it('asks for buy_amount and not for sell_amount where a payout is asked for', () => {
    const asked = { receive: '150000.5', deliveryMethod: undefined, context: 'sep6' as const };
    const { searchParams } = new URL(priceUrl('https://a.example/sep38', corridor, asked));
    expect(searchParams.get('buy_amount')).toBe('150000.5');
    expect(searchParams.has('sell_amount')).toBe(false);
  });

  it('names the country only if the corridor depends on it', () => {
    const shared = corridorFixture({ id: 'usdc-xof-sn', country: 'SN', countryMatters: true });
    expect(priceUrl('https://a.example', corridor, ask())).not.toContain('country_code');
    expect(priceUrl('https://a.example', shared, ask())).toContain('country_code=SN');
  });

  function ask(patch: { deliveryMethod?: string } = {}) {
    return { amount: '100', deliveryMethod: undefined, context: 'sep6' as const, ...patch };
  }
});

describe('a status other than 200', () => {
  it.each([
    [401, '', 'unauthorized'],
    [403, '<html>Forbidden</html>', 'unauthorized'],
    [404, '', 'not_served'],
    [429, '', 'busy'],
    [400, '{"error":"amount is below the minimum of 5 USDC"}', 'refused_amount'],
    [400, '{"error":"The sell_amount is too large"}', 'refused_amount'],
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
