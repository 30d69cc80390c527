import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'smol-toml';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { parseFleet } from '../../../server/features/anchors/fleet-file.rules.js';

let fleet: SimulatedAnchors;
let now = Date.UTC(2026, 10, 21, 9, 30);
let draw = 0.999;

beforeAll(async () => {
  fleet = await startSimulatedAnchors({ clock: () => now, random: () => draw, latencyFactor: 0 });
});
afterAll(() => fleet.stop());
beforeEach(() => {
  now = Date.UTC(2026, 10, 21, 9, 30);
  draw = 0.999;
});

const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

function priceUrl(anchor: string, changes: Record<string, string | null> = {}): string {
  const query = new URLSearchParams();
  const asked = {
    sell_asset: usdc,
    buy_asset: 'iso4217:NGN',
    sell_amount: '500',
    context: 'sep6',
    ...changes,
  };
  for (const [name, value] of Object.entries(asked)) if (value !== null) query.set(name, value);
  return `${fleet.anchor(anchor).origin}/sep38/price?${query}`;
}

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text, body: type.includes('json') ? JSON.parse(text) : null };
}

describe('GET /.well-known/stellar.toml', () => {
  it('names the signing key and the servers that the anchor offers', async () => {
    const harbour = fleet.anchor('harbour');
    const toml = parse((await read(`${harbour.origin}/.well-known/stellar.toml`)).text);
    expect(toml).toMatchObject({
      SIGNING_KEY: harbour.signingKey,
      ANCHOR_QUOTE_SERVER: `${harbour.origin}/sep38`,
      TRANSFER_SERVER_SEP0024: `${harbour.origin}/sep24`,
    });
    const ferry = parse((await read(`${fleet.anchor('ferry').origin}/.well-known/stellar.toml`)).text);
    expect(ferry).not.toHaveProperty('ANCHOR_QUOTE_SERVER');
  });

  it('keeps the signing key of an anchor over restarts', async () => {
    const again = await startSimulatedAnchors({ clock: () => now, random: () => draw, anchors: ['harbour'] });
    expect(again.anchor('harbour').signingKey).toBe(fleet.anchor('harbour').signingKey);
    await again.stop();
  });
});

describe('GET /sep38/price', () => {
  it("answers in today's version with amounts as strings and a fee in the stablecoin", async () => {
    const { status, body } = await read(priceUrl('harbour'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ sell_amount: '500', fee: { total: '1.6', asset: usdc } });
    expect(Number(body.buy_amount) * Number(body.total_price)).toBeCloseTo(500, 3);
  });

  it('answers for 542 when 500 is requested at the anchor that adjusts amounts', async () => {
    const { body } = await read(priceUrl('windlass', { buy_asset: 'iso4217:MXN' }));
    expect(body.sell_amount).toBe('542');
  });

  it('answers for a buy_amount with the stablecoin that it takes', async () => {
    const { status, body } = await read(priceUrl('harbour', { sell_amount: null, buy_amount: '150000' }));
    expect(status).toBe(200);
    expect(body.buy_amount).toBe('150000');
    expect(150_000 * Number(body.total_price)).toBeCloseTo(Number(body.sell_amount), 3);
    const back = await read(priceUrl('harbour', { sell_amount: body.sell_amount }));
    expect(Number(back.body.buy_amount)).toBeCloseTo(150_000, 1);
  });

  it('pays a currency without minor units in whole units', async () => {
    const { body } = await read(priceUrl('harbour', { buy_asset: 'iso4217:UGX' }));
    expect(body.buy_amount).toMatch(/^\d+$/);
  });

  it.each([
    ['sep24 as context', { context: 'sep24' }],
    ['no context', { context: null }],
    ['both amounts', { buy_amount: '5' }],
    ['no amount', { sell_amount: null }],
    ['an exponent', { sell_amount: '1e3' }],
    ['an amount over its maximum', { sell_amount: '20001' }],
    ['an amount under its minimum', { sell_amount: '4.99' }],
    ['a pair it does not serve', { buy_asset: 'iso4217:PHP' }],
    ['a delivery method it does not offer', { buy_delivery_method: 'cash' }],
    ['another country', { country_code: 'KE' }],
  ])('refuses %s with 400 and an error text', async (_case, changes) => {
    const { status, body } = await read(priceUrl('harbour', changes));
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.any(String) });
  });

  it('answers in the old version only with the token: no total_price, no fee, seven decimals, HTML errors', async () => {
    const galleon = fleet.anchor('galleon');
    const refused = await read(priceUrl('galleon'));
    expect(refused).toMatchObject({ status: 403, type: expect.stringContaining('text/html') });
    expect((await read(priceUrl('galleon'), { authorization: 'Bearer wrong' })).status).toBe(403);

    const token = { authorization: `Bearer ${fleet.env.SIMULATED_TOKEN_GALLEON}` };
    const { status, body } = await read(priceUrl('galleon', { context: null }), token);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['buy_amount', 'price', 'sell_amount']);
    expect(body.buy_amount).toMatch(/\.\d{7}$/);
    const bad = await read(priceUrl('galleon', { buy_asset: 'iso4217:PHP' }), token);
    expect(bad).toMatchObject({ status: 400, type: expect.stringContaining('text/html') });
    expect(galleon.seen.at(-1)?.authorization).toBe(token.authorization);
  });

  it('fails at the flaky anchor in the way the draw says: HTML, 500, silence, or not at all', async () => {
    draw = 0.07;
    expect((await read(priceUrl('squall'))).status).toBe(500);
    draw = 0.2;
    expect(await read(priceUrl('squall'))).toMatchObject({
      status: 502,
      type: expect.stringContaining('html'),
    });
    draw = 0.01;
    const silent = fetch(priceUrl('squall'), { signal: AbortSignal.timeout(150) });
    await expect(silent).rejects.toThrow();
    draw = 0.9;
    expect((await read(priceUrl('squall'))).status).toBe(200);
  });

  it('fails by the clock at the anchor with outages, except for its stellar.toml', async () => {
    now = 2_400_000 * 700_000 + 299_000;
    expect((await read(priceUrl('tidewater'))).status).toBe(503);
    expect((await read(`${fleet.anchor('tidewater').origin}/.well-known/stellar.toml`)).status).toBe(200);
    now += 1_000;
    expect((await read(priceUrl('tidewater'))).status).toBe(200);
  });

  it('is not found at anchors that publish only a fee', async () => {
    expect((await read(priceUrl('ferry'))).status).toBe(404);
    expect((await read(priceUrl('lighter', { buy_asset: 'iso4217:KES' }))).status).toBe(404);
  });
});

describe('GET /sep38/info and /sep38/prices', () => {
  it('list the assets with their delivery methods, and prices in stablecoin per unit', async () => {
    const { origin } = fleet.anchor('harbour');
    const info = await read(`${origin}/sep38/info`);
    expect(info.body.assets[0]).toEqual({ asset: usdc });
    expect(info.body.assets[1]).toMatchObject({ asset: 'iso4217:NGN', country_codes: ['NG'] });
    const prices = await read(`${origin}/sep38/prices?sell_asset=${usdc}`);
    expect(prices.body.buy_assets).toHaveLength(6);
    expect(Number(prices.body.buy_assets[0].price)).toBeLessThan(0.001);
    const both = await read(`${origin}/sep38/prices?sell_asset=${usdc}&buy_asset=iso4217:NGN`);
    expect(both.status).toBe(400);
  });
});

describe('GET /info of the transfer servers', () => {
  it('give the fee as JSON numbers, in percentage points', async () => {
    const sep24 = await read(`${fleet.anchor('ferry').origin}/sep24/info`);
    expect(sep24.body.withdraw.USDC).toMatchObject({ enabled: true, fee_fixed: 1, fee_percent: 1 });
    const sep6 = await read(`${fleet.anchor('lighter').origin}/sep6/info`);
    expect(sep6.body.withdraw.USDC).toMatchObject({ fee_fixed: 0.5, fee_percent: 0.75 });
    expect(sep6.body['withdraw-exchange'].USDC).not.toHaveProperty('fee_percent');
  });
});

describe('GET /fx', () => {
  it('gives a dated reference to the dollar for every currency of the fleet', async () => {
    const { body } = await read(fleet.fxUrl);
    expect(body).toMatchObject({ base: 'USD', date: '2026-11-21', simulated: true });
    for (const { buyAsset } of fleet.fleet.corridors)
      expect(body.rates[buyAsset.slice(8)]).toMatch(/^\d+(\.\d+)?$/);
  });
});

describe('the fleet file', () => {
  it('is accepted by the service, and names the variables with the partner tokens', () => {
    const parsed = parseFleet(JSON.stringify(fleet.fleet));
    expect(parsed.anchors.every(({ simulated }) => simulated)).toBe(true);
    const named = parsed.anchors.flatMap(({ partnerToken }) => (partnerToken ? [partnerToken.env] : []));
    expect(named.sort()).toEqual(Object.keys(fleet.env).sort());
  });
});

describe('a simulated anchor under test', () => {
  it('counts calls by route, and lets a test take over a route and restore it', async () => {
    const slowboat = fleet.anchor('slowboat');
    slowboat.resetCalls();
    slowboat.override('GET /sep38/price', (_request, response) => {
      response.end('<<<');
    });
    expect((await read(priceUrl('slowboat'))).text).toBe('<<<');
    slowboat.override('GET /sep38/price', null);
    expect((await read(priceUrl('slowboat'))).status).toBe(200);
    expect((await read(`${slowboat.origin}/nothing`)).status).toBe(404);
    expect(slowboat.calls).toEqual({ 'GET /sep38/price': 2, '(elsewhere)': 1 });
  });

  it('follows a changed profile from the next request on', async () => {
    const slowboat = fleet.anchor('slowboat');
    slowboat.setProfile({ minAmount: '1000' });
    expect((await read(priceUrl('slowboat'))).status).toBe(400);
    slowboat.setProfile({ minAmount: '5' });
    expect((await read(priceUrl('slowboat'))).status).toBe(200);
  });

  it('listens on 127.0.0.1 only, at the requested ports, and not after stop', async () => {
    const one = await startSimulatedAnchors({
      clock: () => now,
      random: () => draw,
      portBase: 27_310,
      anchors: ['ferry'],
    });
    expect([one.fxUrl, ...one.allow]).toEqual(['http://127.0.0.1:27310/fx', 'http://127.0.0.1:27315']);
    await one.stop();
    await expect(fetch(one.fxUrl)).rejects.toThrow();
  });
});

describe('POST /simulate/price', () => {
  const promise = (body: object) =>
    fetch(`${fleet.anchor('harbour').origin}/simulate/price`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('multiplies what the anchor promises, until it is called with 1', async () => {
    const usual = Number((await read(priceUrl('harbour'))).body.buy_amount);
    expect((await promise({ factor: '650' })).status).toBe(200);
    expect(Number((await read(priceUrl('harbour'))).body.buy_amount) / usual).toBeCloseTo(650, 3);
    expect((await promise({ factor: '1' })).status).toBe(200);
    expect(Number((await read(priceUrl('harbour'))).body.buy_amount)).toBe(usual);
    for (const factor of ['0', '-1', 'much', '1e9']) expect((await promise({ factor })).status).toBe(400);
  });
});
