import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'smol-toml';
import { decodePublicKey } from '../../contract/verification/strkey.js';
import { listenOnLoopback } from '../../scripts/lib/loopback-server.js';
import {
  type Ending,
  type SimulatedAnchors,
  startSimulatedAnchors,
} from '../../scripts/simulated-anchors/index.js';
import { parseFleet } from '../../server/features/anchors/fleet-file.rules.js';
import { expectFor } from '../support/expect-for.js';

const start = Date.UTC(2026, 10, 21, 9, 30);
const alice = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
let fleet: SimulatedAnchors;
let now = start;

beforeAll(async () => {
  fleet = await startSimulatedAnchors({ clock: () => now, random: () => 0.5, latencyFactor: 0 });
});
afterAll(() => fleet.stop());
beforeEach(() => {
  now = start;
});

async function call(anchor: string, path: string, body?: object, token = `sim.${alice}.x`) {
  const response = await fetch(`${fleet.anchor(anchor).origin}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, text, body: isJson ? JSON.parse(text) : null };
}

const price = (anchor: string, changes: Record<string, string> = {}, token?: string) => {
  const asked = { sell_asset: usdc, buy_asset: 'iso4217:NGN', context: 'sep6', ...changes };
  return call(anchor, `/sep38/price?${new URLSearchParams(asked)}`, undefined, token);
};

async function begin(anchor: string, fields: object = {}): Promise<string> {
  const wanted = { asset_code: 'USDC', amount: '100', ...fields };
  const answer = await call(anchor, '/sep24/transactions/withdraw/interactive', wanted);
  expectFor(answer.text, answer.status).toBe(200);
  return answer.body.id;
}

async function later(seconds: number): Promise<void> {
  now += seconds * 1_000;
  await fleet.tick();
}

const read = async (anchor: string, id: string) =>
  (await call(anchor, `/sep24/transaction?id=${id}`)).body.transaction;

describe('a simulated anchor', () => {
  it('SEP-1: names its key and the servers that it offers, which the service can read', async () => {
    const toml = parse((await call('harbour', '/.well-known/stellar.toml')).text);
    const { origin, signingKey } = fleet.anchor('harbour');
    expect(toml).toMatchObject({ SIGNING_KEY: signingKey, ANCHOR_QUOTE_SERVER: `${origin}/sep38` });
    const ferry = parse((await call('ferry', '/.well-known/stellar.toml')).text);
    expect(ferry).not.toHaveProperty('ANCHOR_QUOTE_SERVER');
    expect(parseFleet(JSON.stringify(fleet.fleet)).anchors).toHaveLength(9);
  });

  it('SEP-38: prices both sides with the fee in the stablecoin, and adjusts to its lots', async () => {
    const sold = (await price('harbour', { sell_amount: '500' })).body;
    expect(sold).toMatchObject({ sell_amount: '500', fee: { total: '1.6', asset: usdc } });
    expect(Number(sold.buy_amount) * Number(sold.total_price)).toBeCloseTo(500, 3);
    const bought = (await price('harbour', { buy_amount: '150000' })).body;
    expect(150_000 * Number(bought.total_price)).toBeCloseTo(Number(bought.sell_amount), 3);
    const inLots = await price('windlass', { buy_asset: 'iso4217:MXN', sell_amount: '500' });
    expect(inLots.body.sell_amount).toBe('542');
    for (const wrong of [
      {},
      { sell_amount: '1e3' },
      { sell_amount: '20001' },
      { sell_amount: '5', context: 'sep24' },
    ])
      expect((await price('harbour', wrong)).status).toBe(400);
  });

  it('SEP-38, old version: no total_price, no fee, seven decimals, and only for the token', async () => {
    expect(await price('galleon', { sell_amount: '500' })).toMatchObject({ status: 403, body: null });
    const { body } = await price('galleon', { sell_amount: '500' }, fleet.env.SIMULATED_TOKEN_GALLEON);
    expect(Object.keys(body).sort()).toEqual(['buy_amount', 'price', 'sell_amount']);
    expect(body.buy_amount).toMatch(/\.\d{7}$/);
  });

  it('SEP-6 and SEP-24: give the fee in /info as JSON numbers, and instructions to pay', async () => {
    const sep24 = (await call('ferry', '/sep24/info')).body;
    expect(sep24.withdraw.USDC).toMatchObject({ enabled: true, fee_fixed: 1, fee_percent: 1 });
    const sep6 = (await call('lighter', '/sep6/info')).body;
    expect(sep6.withdraw.USDC).toMatchObject({ fee_fixed: 0.5, fee_percent: 0.75 });
    const asked = await call('lighter', '/sep6/withdraw?asset_code=USDC&amount=100');
    expect(asked.body).toMatchObject({ account_id: expect.stringMatching(/^G/), memo_type: 'id' });
  });

  it.each<[Ending, string, object]>([
    ['complete', 'slowboat', { status: 'completed', amount_out_asset: 'iso4217:NGN' }],
    ['refund', 'slowboat', { status: 'refunded', amount_out: '0', refunds: { amount_refunded: '100' } }],
    ['refund-old-error', 'slowboat', { status: 'error', refunded: true }],
    ['refund-old-completed', 'slowboat', { status: 'completed', refunded: true }],
    ['fail', 'slowboat', { status: 'error' }],
    ['recover', 'slowboat', { status: 'completed', amount_out: expect.any(String) }],
    ['hold', 'slowboat', { status: 'completed' }],
    ['stuck', 'slowboat', { status: 'pending_external' }],
    ['vanish', 'slowboat', { status: 'pending_user_transfer_start' }],
    ['complete', 'galleon', { status: 'completed', amount_fee: '0', started_at: '2026-11-21T09:30:00' }],
    ['complete', 'ferry', { status: 'completed', amount_out: expect.any(String) }],
  ])('SEP-24: a withdrawal that will %s at %s ends so', async (ending, anchor, ended) => {
    const id = await begin(anchor);
    await call(anchor, `/simulate/transactions/${id}/payment`, { ending });
    await later(20_000);
    expect(await read(anchor, id)).toMatchObject(ended);
  });

  it('SEP-24: pays out what it priced, and waits for the payment after the form', async () => {
    const id = await begin('harbour');
    await fetch(`${fleet.anchor('harbour').origin}/sep24/interactive/${id}`);
    const waiting = await read('harbour', id);
    expect(waiting).toMatchObject({ status: 'pending_user_transfer_start', withdraw_memo_type: 'id' });
    const promised = (await price('harbour', { sell_amount: '100' })).body;
    fleet.anchor('harbour').pay(id, { ending: 'complete' });
    await later(240);
    expect(await read('harbour', id)).toMatchObject({ amount_in: '100', amount_out: promised.buy_amount });
    expect((await call('harbour', `/sep24/transaction?id=${id}`, undefined, 'wrong')).status).toBe(403);
  });

  it('SEP-24: calls back on each change of status, signed by its SIGNING_KEY over t, host and body', async () => {
    const received: { signature: string; body: string }[] = [];
    const receiver = await listenOnLoopback(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ signature: String(request.headers.signature), body });
      response.end();
    });
    const id = await begin('harbour', { on_change_callback: `${receiver.origin}/hook` });
    fleet.anchor('harbour').pay(id, { ending: 'complete' });
    await fleet.tick();
    await later(240);
    await receiver.stop();
    const statuses = received.map(({ body }) => JSON.parse(body).transaction.status);
    expect(statuses).toEqual(['pending_anchor', 'pending_external', 'completed']);
    const [, t = '', s = ''] = /^t=(\d+), s=(\S+)$/.exec(received[2]?.signature ?? '') ?? [];
    const x = Buffer.from(decodePublicKey(fleet.anchor('harbour').signingKey)).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const signed = Buffer.from(`${t}.${new URL(receiver.origin).host}.${received[2]?.body}`);
    expect(verify(null, signed, key, Buffer.from(s, 'base64'))).toBe(true);
  });
});
