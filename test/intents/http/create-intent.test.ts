import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { clientHash } from '../../../server/http/client-key.js';
import { account, day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';

const fixture = await intentsFixture();
const hex = '6e5bb46baf172b03950ff085f4c11fc356c75a918331a98ed4839c9c7792b381';

async function stored(): Promise<number> {
  return fixture.documents().countDocuments();
}

async function expectRefused(patch: Record<string, unknown>, status: number, expected: object) {
  const before = await stored();
  const answer = await fixture.post(fixture.terms(patch));
  expect([answer.status, answer.body]).toMatchObject([status, expected]);
  expect(await stored()).toBe(before);
}

describe('201', () => {
  it('stores the intent under the hash that the contract computes, with the current quote', async () => {
    const terms = fixture.terms({ minReceive: '1000.00', deliveryMethod: 'bank_account' });
    const { status, headers, body } = await fixture.post(terms);
    expect(status).toBe(201);
    expect(body.intentHash).toBe(intentHash(terms as never));
    expect(headers.get('location')).toBe(`/api/intent/${body.intentHash}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      status: 'pending',
      account,
      sellAmount: '100',
      minReceive: '1000.00',
      createdAt: new Date(fixture.now()).toISOString(),
      expiresAt: new Date(fixture.now() + day).toISOString(),
      quote: { tier: 'anchor', sellAmount: '100', adjusted: false },
      statusCallbackUrl: `${fixture.app.config.publicUrl}/api/intent/${body.intentHash}/status`,
      transaction: null,
      outcome: null,
      dispute: null,
    });
    expect(await fixture.read(body.intentHash)).toEqual(body);
    expect((await fixture.post(fixture.terms({ anchorId: 'ferry' }))).body.quote?.tier).toBe('estimate');
  });

  it('marks a quote that is far from what others pay', async () => {
    fixture.anchors.anchor('harbour').setProfile({ priceFactor: '650' });
    const { status, body } = await fixture.post(fixture.terms({ sellAmount: '177' }));
    fixture.anchors.anchor('harbour').setProfile({ priceFactor: '1' });
    expect([status, body.quote?.unranked]).toEqual([201, 'above_band']);
    expect((await fixture.read(body.intentHash)).quote?.unranked).toBe('above_band');
    const usual = await fixture.post(fixture.terms({ sellAmount: '178' }));
    expect(usual.body.quote?.unranked).toBeNull();
  });

  it('stores, returns and logs neither the nonce nor the address, of which a truncated hash is kept', async () => {
    const terms = fixture.terms();
    const headers = { 'x-forwarded-for': '198.51.100.77' };
    const send = (body: unknown) =>
      fixture.app.client.request<IntentAnswer>('POST', '/api/intent/offramp', { headers, body });
    const { body } = await send(terms);
    await send({ ...terms, sellAmount: 'wrong' });
    await send({ ...terms, anchorTransactionId: 'secretive' });
    expect(fixture.logged()).toContain('/api/intent/offramp');
    expect(fixture.logged()).not.toContain(terms.nonce);
    const document = await fixture.documents().findOne({ _id: body.intentHash as never });
    expect(document?.client).toBe(clientHash('198.51.100.77'));
    for (const secret of [terms.nonce, '198.51.100'])
      expect(JSON.stringify([document, body])).not.toContain(secret);
    expect(JSON.stringify(body)).not.toContain(clientHash('198.51.100.77'));
  });

  it('treats a hex account as the same intent', async () => {
    const terms = fixture.terms();
    const first = await fixture.post(terms);
    const again = await fixture.post({ ...terms, account: hex.toUpperCase(), sellAmount: '100.0000000' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
  });

  it('accepts an intent without a quote when the anchor has none, so that its outcome still counts', async () => {
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    const unquoted = { anchorId: 'squall', sellAmount: '131' };
    const { status, body } = await fixture.post(fixture.terms(unquoted));
    expect([status, body.quote]).toEqual([201, null]);
    const bound = await fixture.post(fixture.terms({ ...unquoted, minReceive: '1' }));
    const unavailable = [{ anchorId: 'squall', reason: 'error' }];
    const refusal = { code: 'RATES_UNAVAILABLE', retryAfter: 5, unavailable };
    expect([bound.status, bound.body]).toMatchObject([503, refusal]);
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
  });
});

describe('200', () => {
  it.each([{}, { anchorTransactionId: 'parallel-1' }])(
    'answers one 201 and 49 times 200 to the same intent sent 50 times in parallel: %j',
    async (patch) => {
      const terms = fixture.terms(patch);
      const before = await stored();
      const answers = await Promise.all(Array.from({ length: 50 }, () => fixture.post(terms)));
      const count = (status: number) => answers.filter((answer) => answer.status === status).length;
      expect([count(201), count(200), await stored()]).toEqual([1, 49, before + 1]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    },
  );

  it('attaches one of two transactions when requests with either race', async () => {
    const terms = fixture.terms();
    const first = await fixture.post(terms);
    const sent = ['race-a', 'race-b', 'race-a', 'race-b'];
    const post = (anchorTransactionId: string) => fixture.post({ ...terms, anchorTransactionId });
    const answers = await Promise.all(sent.map(post));
    // Neither transaction was seen yet, so each replaces the other, and the last one stays. An answer shows the intent as it
    // is by then.
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of answers) expect(sent).toContain(body.transaction?.id);
    expect(sent).toContain((await fixture.read(first.body.intentHash)).transaction?.id);
  });

  it('repeats an intent without a new quote and after its deadline', async () => {
    const expiresAt = new Date(fixture.now() + minute).toISOString();
    const terms = fixture.terms({ expiresAt });
    await fixture.post(terms);
    await fixture.pass(2 * minute);
    fixture.anchors.anchor('harbour').setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    const again = await fixture.post(terms);
    fixture.anchors.anchor('harbour').setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
    expect([again.status, again.body.status, again.body.expiresAt]).toEqual([200, 'pending', expiresAt]);
  });
});

it('a deadline is the same intent in every form of ISO 8601 that is read, and is answered in one', async () => {
  const expiresAt = new Date(Math.floor(fixture.now() / second) * second + day).toISOString();
  const local = new Date(Date.parse(expiresAt) + 90 * minute).toISOString();
  const terms = fixture.terms({ expiresAt });
  const first = await fixture.post(terms);
  expect([first.status, first.body.expiresAt]).toEqual([201, expiresAt]);
  const forms = ['Z', '.0Z', '.000999999+00:00'].map((end) => expiresAt.replace('.000Z', end));
  for (const spelled of [...forms, local.replace('.000Z', '+01:30')]) {
    const again = await fixture.post({ ...terms, expiresAt: spelled });
    expect([spelled, again.status, again.body.intentHash]).toEqual([spelled, 200, first.body.intentHash]);
  }
});

describe('400 INVALID_REQUEST', () => {
  const bad: [name: string, patch: Record<string, unknown>, path: string, says: RegExp][] = [
    ['a member that is not known', { bankAccount: '0123456789' }, 'body.bankAccount', /not known/],
    ['a muxed account', { account: `M${'A'.repeat(68)}` }, 'body.account', /muxed/],
    ['a contract', { account: `C${'A'.repeat(55)}` }, 'body.account', /contract/],
    ['a mistyped account', { account: `${account.slice(0, -1)}M` }, 'body.account', /checksum/],
    ['a small-order key', { account: '00'.repeat(32) }, 'body.account', /small-order/],
    ['a short nonce', { nonce: 'A'.repeat(21) }, 'body.nonce', /22 to 64/],
    ['a long nonce', { nonce: 'A'.repeat(65) }, 'body.nonce', /22 to 64/],
    ['a nonce of other characters', { nonce: 'ü'.repeat(30) }, 'body.nonce', /22 to 64/],
    ['no nonce', { nonce: undefined }, 'body.nonce', /./],
    ['an amount with an exponent', { sellAmount: '1e3' }, 'body.sellAmount', /decimal/],
    ['an amount of zero', { sellAmount: '0.00' }, 'body.sellAmount', /more than zero/],
    ['an amount of eight places', { sellAmount: '1.00000001' }, 'body.sellAmount', /decimals/],
    ['an amount as a number', { sellAmount: 100 }, 'body.sellAmount', /./],
    ['more places than the currency has', { minReceive: '1.005' }, 'body.minReceive', /2 places/],
    ['a deadline of another form', { expiresAt: '2026-11-22' }, 'body.expiresAt', /ISO 8601/],
    ['a deadline without a zone', { expiresAt: '2026-11-22T09:30:00' }, 'body.expiresAt', /ISO 8601/],
    ['a deadline that is past', { expiresAt: '2026-11-21T09:29:59.999Z' }, 'body.expiresAt', /future/],
    ['a day that does not exist', { expiresAt: '2027-02-31T00:00:00.000Z' }, 'body.expiresAt', /./],
    ['a day that would roll over', { expiresAt: '2026-11-31T00:00:00.000Z' }, 'body.expiresAt', /exists/],
    ['an hour that would roll over', { expiresAt: '2026-11-25T24:00:00.000Z' }, 'body.expiresAt', /ISO 8601/],
    ['a deadline beyond 30 days', { expiresAt: '2027-11-21T09:30:00.000Z' }, 'body.expiresAt', /30 days/],
    ['a transaction id with a space', { anchorTransactionId: 'a b' }, 'body.anchorTransactionId', /./],
    ['a corridor of another form', { corridor: 'usdc_ngn' }, 'body.corridor', /./],
  ];

  it.each(bad)(
    'for %s, with the path and the reason, and stores nothing',
    async (_name, patch, path, says) => {
      await expectRefused(patch, 400, {
        code: 'INVALID_REQUEST',
        details: [{ path, message: expect.stringMatching(says) }],
      });
    },
  );
});

describe('409 TRANSACTION_CONFLICT', () => {
  it('for a transaction sent after the intent expired without one', async () => {
    const terms = fixture.terms({ expiresAt: new Date(fixture.now() + minute).toISOString() });
    const { body } = await fixture.post(terms);
    await fixture.pass(minute);
    const late = await fixture.post({ ...terms, anchorTransactionId: 'too-late' });
    expect([late.status, late.body]).toMatchObject([409, { code: 'TRANSACTION_CONFLICT' }]);
    const outcome = { reason: 'no_transaction' };
    const ended = { status: 'expired', transaction: null, outcome };
    expect(await fixture.read(body.intentHash)).toMatchObject(ended);
  });

  it('for a transaction of another intent of the same anchor, and remembers the claim', async () => {
    await fixture.post(fixture.terms({ anchorTransactionId: 'taken' }));
    const before = await stored();
    const claim = fixture.terms({ anchorTransactionId: 'taken' });
    for (const answer of [await fixture.post(claim), await fixture.post(claim)]) {
      expect([answer.status, answer.body]).toMatchObject([409, { code: 'TRANSACTION_CONFLICT' }]);
    }
    expect(await stored()).toBe(before + 1);
    const transaction = { id: 'taken', problem: 'held_by_another' };
    expect(await fixture.read(intentHash(claim as never))).toMatchObject({ status: 'pending', transaction });
    const terms = fixture.terms();
    const { body } = await fixture.post(terms);
    expect((await fixture.post({ ...terms, anchorTransactionId: 'taken' })).status).toBe(409);
    expect((await fixture.read(body.intentHash)).transaction?.problem).toBe('held_by_another');
  });

  it('attaches a transaction to only one of 40 intents that claim it', async () => {
    const all = Array.from({ length: 40 }, () => fixture.terms({ anchorTransactionId: 'popular' }));
    const answers = await Promise.all(all.map((terms) => fixture.post(terms)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(39).fill(409)]);
  });
});

describe('409 QUOTE_BELOW_MINIMUM', () => {
  it('for a quote one minor unit below minReceive, and stores nothing', async () => {
    const { body } = await fixture.post(fixture.terms());
    const quoted = body.quote?.receiveAmount ?? '';
    const kobo = String(BigInt(quoted.replace('.', '')) + 1n);
    const above = `${kobo.slice(0, -2)}.${kobo.slice(-2)}`;
    await expectRefused({ minReceive: above }, 409, { code: 'QUOTE_BELOW_MINIMUM' });
    expect((await fixture.post(fixture.terms({ minReceive: quoted }))).status).toBe(201);
  });

  it('compares the rate when the anchor quotes another amount than the one requested', async () => {
    const patch = { anchorId: 'windlass', corridor: 'usdc-mxn', sellAmount: '500' };
    const { body } = await fixture.post(fixture.terms(patch));
    expect(body.quote).toMatchObject({ adjusted: true, sellAmount: '542' });
    const minReceive = body.quote?.receiveAmount;
    expect((await fixture.post(fixture.terms({ ...patch, minReceive }))).status).toBe(409);
  });
});

describe('422', () => {
  it.each([
    ['an unknown corridor', 'UNSUPPORTED_PAIR', { corridor: 'usdc-xxx' }, 'body.corridor'],
    ['an unknown anchor', 'UNSUPPORTED_PAIR', { anchorId: 'nobody' }, 'body.anchorId'],
    ['an anchor that does not serve it', 'UNSUPPORTED_PAIR', { anchorId: 'lighter' }, 'body.anchorId'],
    ['a method not offered there', 'UNSUPPORTED_PAIR', { deliveryMethod: 'cash' }, 'body.deliveryMethod'],
    ['less than the least', 'AMOUNT_OUT_OF_RANGE', { sellAmount: '0.0000001' }, 'body.sellAmount'],
    ['more than the most', 'AMOUNT_OUT_OF_RANGE', { sellAmount: '999999999' }, 'body.sellAmount'],
  ])('for %s: %s, and stores nothing', (_name, code, patch, path) =>
    expectRefused(patch, 422, { code, details: [{ path }] }),
  );

  it('AMOUNT_OUT_OF_RANGE when the anchor does not quote this amount', async () => {
    fixture.anchors.anchor('harbour').setProfile({ maxAmount: '50' });
    await expectRefused({ sellAmount: '777' }, 422, { code: 'AMOUNT_OUT_OF_RANGE' });
    fixture.anchors.anchor('harbour').setProfile({ maxAmount: '20000' });
  });
});

it('is 429 beyond the limit of a client in a minute, with the rate-limit headers', async () => {
  const limit = rateLimitClasses.intent.points;
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const send = () => fixture.app.client.request('POST', '/api/intent/offramp', { headers, body: {} });
  for (let i = 0; i < limit; i += 1) expect((await send()).status).toBe(400);
  const refused = await send();
  expect([refused.status, refused.body]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
  expect(refused.headers.get('x-ratelimit-limit')).toBe(String(limit));
});

it('is 404 UNKNOWN_INTENT for a hash that nobody registered', async () => {
  const { status, body } = await fixture.app.client.request('GET', `/api/intent/${'0'.repeat(64)}`);
  expect([status, body]).toMatchObject([404, { code: 'UNKNOWN_INTENT' }]);
});
