import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Ending,
  type SimulatedAnchors,
  startSimulatedAnchors,
} from '../../../scripts/simulated-anchors/index.js';
import { expectFor } from '../../support/expect-for.js';

const start = Date.UTC(2026, 10, 21, 9, 30);
const alice = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const mallory = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
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

interface Call {
  token?: string | null;
  body?: Record<string, unknown> | FormData | URLSearchParams;
}

async function call(anchor: string, path: string, { token = `sim.${alice}.x`, body }: Call = {}) {
  const plain = body !== undefined && !(body instanceof FormData) && !(body instanceof URLSearchParams);
  const response = await fetch(`${fleet.anchor(anchor).origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(plain ? { 'content-type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body: plain ? JSON.stringify(body) : (body as FormData) }),
  });
  const text = await response.text();
  const json = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, text, body: json ? JSON.parse(text) : null };
}

const interactive = '/sep24/transactions/withdraw/interactive';
const wanted = { asset_code: 'USDC', destination_asset: 'iso4217:NGN', amount: '100' };

async function begin(anchor = 'harbour', fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await call(anchor, interactive, { body: { ...wanted, ...fields } });
  expectFor(answer.text, answer.status).toBe(200);
  return answer.body.id;
}

async function later(seconds: number): Promise<void> {
  now += seconds * 1000;
  await fleet.tick();
}

async function pay(anchor: string, id: string, body: Record<string, unknown> = {}) {
  return call(anchor, `/simulate/transactions/${id}/payment`, { token: null, body });
}

async function read(anchor: string, id: string, token?: string) {
  const answer = await call(anchor, `/sep24/transaction?id=${id}`, token === undefined ? {} : { token });
  return answer.body?.transaction;
}

describe('POST /sep24/transactions/withdraw/interactive', () => {
  it('creates an incomplete withdrawal and returns the URL of its form', async () => {
    const answer = await call('harbour', interactive, { body: wanted });
    expect(answer.body).toEqual({
      type: 'interactive_customer_info_needed',
      url: `${fleet.anchor('harbour').origin}/sep24/interactive/${answer.body.id}`,
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    });
    expect(await read('harbour', answer.body.id)).toMatchObject({
      kind: 'withdrawal',
      status: 'incomplete',
      amount_in: '100',
      amount_in_asset: usdc,
      amount_out_asset: 'iso4217:NGN',
      from: alice,
      started_at: '2026-11-21T09:30:00.000Z',
    });
  });

  it('accepts a multipart and a form body as well', async () => {
    const multipart = new FormData();
    for (const [name, value] of Object.entries(wanted)) multipart.set(name, value);
    expect((await call('harbour', interactive, { body: multipart })).status).toBe(200);
    expect((await call('harbour', interactive, { body: new URLSearchParams(wanted) })).status).toBe(200);
  });

  it('requires a token, and the account with a partner token', async () => {
    for (const token of [null, 'sim.nobody.x', `sim.${alice}`, 'wrong']) {
      const answer = await call('harbour', interactive, { token, body: wanted });
      expect(answer).toMatchObject({ status: 403, body: { type: 'authentication_required' } });
    }
    const token = fleet.anchor('harbour').partnerToken;
    expect((await call('harbour', interactive, { token, body: wanted })).status).toBe(400);
    const withAccount = { ...wanted, account: alice };
    expect((await call('harbour', interactive, { token, body: withAccount })).status).toBe(200);
  });

  it.each([
    ['another asset', { asset_code: 'EURC' }],
    ['another issuer', { asset_issuer: alice }],
    ['a currency it does not pay', { destination_asset: 'iso4217:PHP' }],
    ['a delivery method it does not offer', { funding_method: 'cash' }],
    ['an amount beyond its limits', { amount: '20001' }],
    ['an unknown quote', { quote_id: 'q-none-1' }],
    ['a callback beyond loopback', { on_change_callback: 'https://example.com/hook' }],
  ])('refuses %s', async (_case, change) => {
    const answer = await call('harbour', interactive, { body: { ...wanted, ...change } });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  it('waits for the payment after the form is opened, or after its time has passed', async () => {
    const opened = await begin();
    await call('harbour', `/sep24/interactive/${opened}`, { token: null });
    expect(await read('harbour', opened)).toMatchObject({
      status: 'pending_user_transfer_start',
      withdraw_anchor_account: expect.stringMatching(/^G/),
      withdraw_memo_type: 'id',
    });
    const left = await begin();
    await later(21);
    expect((await read('harbour', left)).status).toBe('pending_user_transfer_start');
    await later(86_400);
    expect((await read('harbour', left)).status).toBe('expired');
  });
});

describe('a paid withdrawal', () => {
  const record: Record<string, unknown> = {
    from: alice,
    amount_in: '100',
    stellar_transaction_id: 'a'.repeat(64),
  };

  async function settled(anchor: string, ending: Ending, seconds: number, fields = {}) {
    const id = await begin(anchor, fields);
    const paid = await pay(anchor, id, { ending, stellar_transaction_id: 'a'.repeat(64) });
    expect(paid.body.transaction.status).toBe('pending_anchor');
    await later(seconds);
    return read(anchor, id);
  }

  it('completes with the payout of the price at its start at a reliable anchor', async () => {
    const query = new URLSearchParams({
      sell_asset: usdc,
      buy_asset: 'iso4217:NGN',
      sell_amount: '100',
      context: 'sep6',
    });
    const price = (await call('harbour', `/sep38/price?${query}`)).body;
    expect(await settled('harbour', 'complete', 240)).toMatchObject({
      ...record,
      status: 'completed',
      amount_out: price.buy_amount,
      fee_details: { total: price.fee.total, asset: usdc, breakdown: [{ amount: price.fee.total }] },
      completed_at: '2026-11-21T09:32:22.500Z',
      updated_at: '2026-11-21T09:32:22.500Z',
    });
  });

  it('pays less than the price at an anchor with a shortfall', async () => {
    const full = await settled('harbour', 'complete', 240);
    const { settlement } = fleet.anchor('harbour').context.profile();
    fleet.anchor('harbour').setProfile({
      settlement: { settleSeconds: [1, 1], endings: { complete: 1 }, shortfallPpm: [10_000, 10_000] },
    });
    now = start;
    const short = await settled('harbour', 'complete', 240);
    fleet.anchor('harbour').setProfile({ settlement });
    expect(Number(short.amount_out) / Number(full.amount_out)).toBeCloseTo(0.99, 6);
  });

  it("is refunded in today's version with the status and a refunds object", async () => {
    expect(await settled('slowboat', 'refund', 2_700)).toMatchObject({
      ...record,
      status: 'refunded',
      amount_out: '0',
      completed_at: expect.any(String),
      refunds: {
        amount_refunded: '100',
        amount_fee: '0',
        payments: [
          { id_type: 'stellar', amount: '100', fee: '0', id: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ],
      },
    });
  });

  it.each([
    ['refund-old-error', 'error'],
    ['refund-old-completed', 'completed'],
  ] as const)('is refunded in the old version %s with a flag and without refunds', async (ending, status) => {
    const transaction = await settled('slowboat', ending, 2_700);
    expect(transaction).toMatchObject({ ...record, status, refunded: true });
    expect(transaction).not.toHaveProperty('refunds');
    expect(transaction).not.toHaveProperty('amount_out');
  });

  it('fails, and recovers when its ending says so', async () => {
    const id = await begin('slowboat');
    await pay('slowboat', id, { ending: 'recover' });
    await later(2_700);
    expect((await read('slowboat', id)).status).toBe('error');
    await later(7_200);
    expect(await read('slowboat', id)).toMatchObject({ status: 'completed', amount_out: expect.any(String) });
    expect((await settled('slowboat', 'fail', 86_400)).status).toBe('error');
  });

  it('is held for a while, or stays open when stuck', async () => {
    const id = await begin('slowboat');
    await pay('slowboat', id, { ending: 'hold' });
    await later(1_000);
    expect((await read('slowboat', id)).status).toBe('on_hold');
    await later(20_000);
    expect((await read('slowboat', id)).status).toBe('completed');
    expect((await settled('slowboat', 'stuck', 864_000)).status).toBe('pending_external');
  });

  it('waits for pick-up when the payout is cash', async () => {
    const id = await begin('ferry');
    await pay('ferry', id, { ending: 'complete' });
    await later(480);
    const ready = await read('ferry', id);
    expect(ready).toMatchObject({ status: 'pending_user_transfer_complete', amount_out: expect.any(String) });
    expect(ready).not.toHaveProperty('completed_at');
    await later(7_200);
    expect((await read('ferry', id)).status).toBe('completed');
  });

  it('has no assets, details and zones in the old version', async () => {
    const transaction = await settled('galleon', 'complete', 600);
    expect(transaction).toMatchObject({
      status: 'completed',
      amount_fee: '0',
      started_at: '2026-11-21T09:30:00',
    });
    for (const field of ['amount_in_asset', 'amount_out_asset', 'fee_details'])
      expect(transaction).not.toHaveProperty(field);
  });

  it('records the amount and sender of its one payment', async () => {
    const id = await begin('slowboat');
    expect((await pay('slowboat', id, { amount: '97.5', from: mallory })).status).toBe(200);
    expect(await read('slowboat', id)).toMatchObject({ amount_in: '97.5', from: mallory });
    expect((await pay('slowboat', id)).status).toBe(409);
    expect((await pay('slowboat', 'none')).status).toBe(404);
    const other = await begin('slowboat');
    expect((await pay('slowboat', other, { ending: 'explode' })).status).toBe(400);
    expect((await pay('slowboat', other, { amount: '-1' })).status).toBe(400);
  });

  it('shows the fields that a test has overwritten', async () => {
    const id = await begin('slowboat');
    fleet.anchor('slowboat').amend(id, { status: 'pending_moonrise', from: null });
    const transaction = await read('slowboat', id);
    expect(transaction.status).toBe('pending_moonrise');
    expect(transaction).not.toHaveProperty('from');
  });
});

describe('GET /transaction and /transactions', () => {
  it('show an account its own transactions only, and a partner all of them', async () => {
    const id = await begin('tidewater');
    const { partnerToken } = fleet.anchor('tidewater');
    expect(await read('tidewater', id, `sim.${mallory}.x`)).toBeUndefined();
    expect(await read('tidewater', id, partnerToken ?? '')).toMatchObject({ id });
    const list = (token: string) => call('tidewater', '/sep24/transactions?asset_code=USDC', { token });
    expect((await list(`sim.${mallory}.x`)).body.transactions).toEqual([]);
    expect((await list(partnerToken ?? '')).body.transactions).toHaveLength(1);
  });

  it('find a Stellar transaction too, and answer 404 and 403 otherwise, in HTML in the old version', async () => {
    const id = await begin('tidewater');
    await pay('tidewater', id, { stellar_transaction_id: 'b'.repeat(64) });
    const found = await call('tidewater', `/sep24/transaction?stellar_transaction_id=${'b'.repeat(64)}`);
    expect(found.body.transaction.id).toBe(id);
    expect((await call('tidewater', '/sep24/transaction?id=none')).status).toBe(404);
    expect((await call('tidewater', '/sep24/transaction')).status).toBe(400);
    expect((await call('tidewater', `/sep6/transaction?id=${id}`)).status).toBe(404);
    expect((await call('tidewater', `/sep24/transaction?id=${id}`, { token: null })).status).toBe(403);
    const old = await call('galleon', '/sep24/transaction?id=none');
    expect(old).toMatchObject({ status: 404, body: null });
  });

  it('list newest first, in pages', async () => {
    const ids = [await begin('squall'), await begin('squall'), await begin('squall')];
    const list = async (query: string) => {
      const answer = await call('squall', `/sep24/transactions?asset_code=USDC&${query}`);
      return answer.body.transactions.map(({ id }: { id: string }) => id);
    };
    expect(await list('limit=2')).toEqual([ids[2], ids[1]]);
    expect(await list(`paging_id=${ids[1]}`)).toEqual([ids[0]]);
    expect(await list('kind=deposit')).toEqual([]);
    expect(await list('no_older_than=2027-01-01T00:00:00Z')).toEqual([]);
  });
});

describe('SEP-6', () => {
  it('answers a withdrawal with payment instructions, and shows it with fee details', async () => {
    const query = new URLSearchParams({ asset_code: 'USDC', amount: '100', funding_method: 'mobile_money' });
    const { body } = await call('lighter', `/sep6/withdraw?${query}`);
    expect(body).toMatchObject({ account_id: expect.stringMatching(/^G/), memo_type: 'id', fee_fixed: 0.5 });
    await pay('lighter', body.id, { ending: 'complete' });
    await later(180);
    const { transaction } = (await call('lighter', `/sep6/transaction?id=${body.id}`)).body;
    expect(transaction).toMatchObject({
      kind: 'withdrawal',
      status: 'completed',
      fee_details: { details: [{}] },
    });
  });

  it('marks an exchange by its kind', async () => {
    const asked = {
      source_asset: 'USDC',
      destination_asset: 'iso4217:BRL',
      amount: '100',
      funding_method: 'PIX',
    };
    const { body } = await call('lighter', `/sep6/withdraw-exchange?${new URLSearchParams(asked)}`);
    const { transaction } = (await call('lighter', `/sep6/transaction?id=${body.id}`)).body;
    expect(transaction).toMatchObject({ kind: 'withdrawal-exchange', amount_out_asset: 'iso4217:BRL' });
    const bare = await call('lighter', '/sep6/withdraw-exchange?source_asset=USDC');
    expect(bare.status).toBe(400);
    expect((await call('lighter', '/sep6/withdraw', { token: null })).status).toBe(403);
  });
});

describe('a firm quote', () => {
  const asked = { sell_asset: usdc, buy_asset: 'iso4217:NGN', sell_amount: '100', context: 'sep24' };

  it('keeps its price for the withdrawal that names it', async () => {
    const quote = await call('slowboat', '/sep38/quote', { body: asked });
    expect(quote).toMatchObject({
      status: 201,
      body: { expires_at: '2026-11-21T09:40:00.000Z', sell_amount: '100' },
    });
    expect((await call('slowboat', `/sep38/quote/${quote.body.id}`)).body).toEqual(quote.body);
    now += 500_000;
    const id = await begin('slowboat', { quote_id: quote.body.id });
    await pay('slowboat', id, { ending: 'complete' });
    await later(2_700);
    expect(await read('slowboat', id)).toMatchObject({
      quote_id: quote.body.id,
      amount_out: quote.body.buy_amount,
    });
    const late = await call('slowboat', interactive, { body: { ...wanted, quote_id: quote.body.id } });
    expect(late).toMatchObject({ status: 400, body: { error: 'the quote has expired' } });
  });

  it('is given only to callers with a token, and not for longer than its maximum', async () => {
    expect((await call('slowboat', '/sep38/quote', { token: null, body: asked })).status).toBe(403);
    const long = { ...asked, expire_after: '2026-11-22T00:00:00Z' };
    expect((await call('slowboat', '/sep38/quote', { body: long })).status).toBe(400);
    expect((await call('slowboat', '/sep38/quote/none')).status).toBe(404);
  });
});
