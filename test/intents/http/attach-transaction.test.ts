import { afterEach, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { account, day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';

const fixture = await intentsFixture({ anchors: ['harbour', 'squall'] });
// Intents left open by one test would be polled in the next, too.
afterEach(() => fixture.documents().deleteMany({}));

type Terms = Record<string, unknown>;

async function registered(patch: Terms = {}) {
  const terms = fixture.terms(patch);
  const { body } = await fixture.post(terms);
  const attach = (anchorTransactionId: string) =>
    fixture.attach(body.intentHash, { nonce: terms.nonce, anchorTransactionId });
  return { terms, intent: body, attach };
}

describe('200', () => {
  it.each<[name: string, patch: () => Terms]>([
    ['with only the required terms', () => ({})],
    ['with a deadline of its own', () => ({ expiresAt: new Date(fixture.now() + minute).toISOString() })],
    ['whose deadline is the default', () => ({ expiresAt: new Date(fixture.now() + day).toISOString() })],
    [
      'with every term, amounts with trailing zeros',
      () => ({ sellAmount: '100.50', minReceive: '1000.10', deliveryMethod: 'bank_account' }),
    ],
  ])('attaches to an intent %s, and answers as the registration sent again does', async (name, patch) => {
    const { terms, intent, attach } = await registered(patch());
    const id = `attached-${name.length}`;
    const { status, body, headers } = await attach(id);
    const attached = { kind: 'transaction_attached', at: expect.any(String), transactionStatus: null };
    const steps = [...intent.steps, attached];
    const transaction = expect.objectContaining({ id });
    expect([status, body]).toEqual([200, { ...intent, transaction, steps }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await fixture.post({ ...terms, anchorTransactionId: id })).body).toEqual(body);
    expect(await fixture.read(intent.intentHash)).toEqual(body);
    expect(fixture.logged()).not.toContain(terms.nonce);
  });

  it('answers the present state to the same id again, also after the outcome', async () => {
    const { intent, attach } = await registered();
    const id = await fixture.begin('harbour');
    const first = await attach(id);
    expect((await attach(id)).body).toEqual(first.body);
    await fixture.watch(minute);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await fixture.watch(minute, 10);
    const { status, body } = await attach(id);
    expect([status, body.status, body.outcome?.scored]).toEqual([200, 'settled', true]);
    expect(body).toEqual(await fixture.read(intent.intentHash));
  });

  it('attaches once when it is sent 20 times in parallel, some by the registration', async () => {
    const { terms, attach } = await registered();
    const again = { ...terms, anchorTransactionId: 'in-parallel' };
    const both = Array.from({ length: 10 }, () => [attach('in-parallel'), fixture.post(again)]);
    const answers = await Promise.all(both.flat());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('attaches for a client that has used up its registrations of the minute', async () => {
    const client = { 'x-forwarded-for': '198.51.100.20' };
    const { terms, intent } = await registered();
    const register = () =>
      fixture.app.client.request('POST', '/api/intent/offramp', { headers: client, body: terms });
    const { points } = rateLimitClasses.intent;
    for (let sent = 0; sent < points; sent += 1) expect((await register()).status).toBe(200);
    expect((await register()).status).toBe(429);
    const body = { nonce: terms.nonce, anchorTransactionId: 'counted-apart' };
    const { status, headers } = await fixture.attach(intent.intentHash, body, client);
    const limit = Number(headers.get('x-ratelimit-limit'));
    expect([status, limit]).toEqual([200, rateLimitClasses.default.points]);
  });
});

it('is 404 UNKNOWN_INTENT for a hash that nobody registered, and a nonce of another intent, which attaches nothing', async () => {
  const { intent } = await registered();
  const other = await registered();
  const body = { nonce: other.terms.nonce, anchorTransactionId: 'by-a-stranger' };
  for (const hash of ['0'.repeat(64), intent.intentHash]) {
    const answer = await fixture.attach(hash, body);
    expect([answer.status, answer.body]).toMatchObject([404, { code: 'UNKNOWN_INTENT' }]);
  }
  expect((await fixture.read(intent.intentHash)).transaction).toBeNull();
});

it('409 TRANSACTION_CONFLICT for a transaction of another intent of the same anchor, a second one, and one that comes too late', async () => {
  const { terms, attach } = await registered();
  await attach('taken');
  const conflict = [409, { code: 'TRANSACTION_CONFLICT' }];
  const refused = async (intent: { attach: typeof attach }, id: string) => {
    const { status, body } = await intent.attach(id);
    expect([status, body]).toMatchObject(conflict);
  };
  await refused(await registered(), 'taken');
  expect((await (await registered({ anchorId: 'squall' })).attach('taken')).status).toBe(200);
  await attach(await fixture.begin('harbour'));
  await fixture.pass(minute);
  const late = await registered({ expiresAt: new Date(fixture.now() + minute).toISOString() });
  await fixture.settle();
  await refused({ attach }, 'another');
  const again = await fixture.post({ ...terms, anchorTransactionId: 'another' });
  expect([again.status, again.body]).toMatchObject(conflict);
  await fixture.pass(minute);
  await refused(late, 'too-late');
  await fixture.pass(2 * day);
  await refused({ attach }, 'much-too-late');
});

it('503 NOT_READY is the only refusal of many requests that name payments of one intent at the same time', async () => {
  const { terms, intent } = await registered();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, nth) =>
      fixture.attach(intent.intentHash, {
        nonce: terms.nonce,
        paymentHash: nth.toString(16).padStart(64, '0'),
      }),
    ),
  );
  const refusal = { code: 'NOT_READY', message: expect.any(String), retryAfter: expect.any(Number) };
  for (const { status, body, headers } of answers.filter((each) => each.status !== 200)) {
    expect([status, body]).toEqual([503, refusal]);
    expect(headers.get('retry-after')).toMatch(/^[12]$/);
  }
  expect(fixture.logged()).not.toContain('request failed');
});

it.each<[name: string, patch: Terms, path: string]>([
  ['no nonce', { nonce: undefined }, 'body.nonce'],
  ['a short nonce', { nonce: 'A'.repeat(21) }, 'body.nonce'],
  ['no id', { anchorTransactionId: undefined }, 'body.anchorTransactionId'],
  ['an id with a space', { anchorTransactionId: 'a b' }, 'body.anchorTransactionId'],
  ['a member that is not known', { bankAccount: '0123456789' }, 'body.bankAccount'],
])('400 INVALID_REQUEST for %s, with the path', async (_name, patch, path) => {
  const { terms, intent } = await registered();
  const body = { nonce: terms.nonce, anchorTransactionId: 'fine', ...patch };
  const answer = await fixture.attach(intent.intentHash, body);
  const refusal = { code: 'INVALID_REQUEST', details: [{ path }] };
  expect([answer.status, answer.body]).toMatchObject([400, refusal]);
  expect((await fixture.read(intent.intentHash)).transaction).toBeNull();
});

describe('transaction.problem', () => {
  const harbour = () => fixture.anchors.anchor('harbour');
  const transactionOf = async (intentHash: string) => (await fixture.read(intentHash)).transaction;

  it.each<[problem: string | null, record: Record<string, unknown>]>([
    [null, {}],
    ['not_a_withdrawal', { kind: 'deposit' }],
    ['other_account', { from: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ' }],
    ['other_asset', { amount_out_asset: 'iso4217:KES' }],
  ])(
    'is %s after a look at a record with %j, and goes when a later one says otherwise',
    async (problem, record) => {
      const { intent, attach } = await registered();
      const id = await fixture.begin('harbour');
      harbour().amend(id, record);
      await attach(id);
      expect(await transactionOf(intent.intentHash)).toMatchObject({ id, problem: null });
      await fixture.watch(30 * second);
      expect(await transactionOf(intent.intentHash)).toMatchObject({ id, problem });
      harbour().amend(id, { kind: 'withdrawal', from: account, amount_out_asset: 'iso4217:NGN' });
      await fixture.watch(30 * second);
      expect(await transactionOf(intent.intentHash)).toMatchObject({ id, problem: null });
    },
  );

  it('is unknown_to_anchor after a 404 alone; the id is then replaced, free for others, and the new one is scored', async () => {
    const { intent, attach } = await registered();
    const silent = await registered({ anchorId: 'squall' });
    await attach('mistyped');
    await silent.attach('unheard');
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    await fixture.watch(30 * second);
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
    expect(await transactionOf(silent.intent.intentHash)).toMatchObject({ problem: null });
    const transaction = { id: 'mistyped', status: null, lastSeenAt: null, problem: 'unknown_to_anchor' };
    expect(await fixture.read(intent.intentHash)).toMatchObject({ status: 'pending', transaction });
    const id = await fixture.begin('harbour');
    expect((await attach(id)).body.transaction).toMatchObject({ id, problem: null });
    expect((await (await registered()).attach('mistyped')).status).toBe(200);
    await fixture.watch(30 * second);
    harbour().pay(id, { ending: 'complete' });
    await fixture.watch(minute, 10);
    const { outcome } = await fixture.read(intent.intentHash);
    expect(outcome).toMatchObject({ status: 'settled', scored: true });
  });
});
