import { createHash, createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import { intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';

const fixture = await intentsFixture({ anchors: ['harbour', 'squall', 'windlass', 'galleon'] });

interface Sent {
  intentHash: string;
  transactionId: string;
}

let count = 0;

function bodyOf(transactionId: string, raw: Record<string, unknown> = {}): string {
  const transaction = { id: transactionId, kind: 'withdrawal', status: 'pending_anchor', ...raw };
  return JSON.stringify({ transaction });
}

const host = () => new URL(fixture.app.config.publicUrl).host;
const hostname = () => new URL(fixture.app.config.publicUrl).hostname;

async function documentOf(intentHash: string) {
  return fixture.documents().findOne({ _id: intentHash as never });
}

describe('200', () => {
  const overHostname = (body: string) => fixture.signed(body, 'harbour', hostname());
  const deprecated = (body: string) => ({ 'x-stellar-signature': fixture.signed(body).signature ?? '' });
  it.each<[string, { raw?: object; headers?: (body: string) => Record<string, string> }]>([
    ['over the host without its port, as in Java', { headers: overHostname }],
    ['under the deprecated name of the header', { headers: deprecated }],
    ['with a status that nobody knows, which is still open', { raw: { status: 'pending_moon_phase' } }],
  ])('takes a callback %s', async (_name, { raw = {}, headers = fixture.signed }) => {
    const { intentHash, transactionId } = await attached();
    const body = bodyOf(transactionId, { status: 'pending_anchor', ...raw });
    const answer = await fixture.callBack(intentHash, body, headers(body));
    expect(answer.body).toMatchObject({ status: 'pending', applied: true });
    const { transaction } = await fixture.read(intentHash);
    expect(transaction?.status).toBe('status' in raw ? 'unrecognised' : 'pending_anchor');
  });

  it('takes an id of 64 bits that is written as a number', async () => {
    const id = '9223372036854775807';
    const { body: intent } = await fixture.post(fixture.terms({ anchorTransactionId: id }));
    const body = `{"transaction":{"id":${id},"kind":"withdrawal","status":"pending_anchor"}}`;
    expect((await fixture.callBack(intent.intentHash, body, fixture.signed(body))).body).toMatchObject({
      applied: true,
    });
  });

  it('shows an amount that it cannot read as unreadable, and names it for the anchor', async () => {
    const { intentHash, transactionId } = await attached();
    const raw = { status: 'completed', stellar_transaction_id: 'ab', amount_in: '100' };
    const body = bodyOf(transactionId, { ...raw, amount_out: '152,857.72' });
    await fixture.callBack(intentHash, body, fixture.signed(body));
    const transaction = { problem: 'unreadable_amount' };
    expect(await fixture.read(intentHash)).toMatchObject({ status: 'pending', transaction });
    const anchor = await fixture.app.client.request<AnchorAnswer>('GET', '/api/anchors/harbour');
    const unreadable = { document: 'transaction', what: 'amount_out cannot be read' };
    expect(anchor.body.unreadable).toMatchObject([unreadable]);
  });

  it('applies genuine callbacks until the intent is settled', async () => {
    const { intentHash, transactionId } = await attached();
    const steps = [
      { status: 'pending_user_transfer_start' },
      { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' },
      { status: 'completed', stellar_transaction_id: 'ab', amount_in: '100', amount_out: '152150.4' },
    ];
    const answers = [];
    for (const raw of steps) {
      const body = bodyOf(transactionId, raw);
      answers.push((await fixture.callBack(intentHash, body, fixture.signed(body))).body);
      await fixture.pass(second * 30);
    }
    expect(answers.map(({ status }) => status)).toEqual(['pending', 'pending', 'settled']);
    expect(answers.map(({ applied }) => applied)).toEqual([true, true, true]);
    const intent = await fixture.read(intentHash);
    expect(intent.outcome).toMatchObject({ reason: 'completed', settleSeconds: 30, scored: true });
    const paidOutAt = new Date(fixture.now() - 30 * second).toISOString();
    expect(intent.outcome).toMatchObject({ amountOut: '152150.40', paidOutAt });
    const data = { intentHash, anchorId: 'harbour', corridor: 'usdc-ngn', amount: '100', status: 'settled' };
    expect(await fixture.events()).toEqual([{ event: 'intent.settled', data }]);
  });

  it('stores only the listed members: no bank details, no message', async () => {
    const { intentHash, transactionId } = await attached();
    const body = bodyOf(transactionId, {
      to: 'IBAN-SECRET',
      message: 'MESSAGE-SECRET',
      external_extra: 'EXTRA-SECRET',
      status: 'pending_anchor',
      more: { bank: 'NESTED-SECRET' },
    });
    expect((await fixture.callBack(intentHash, body, fixture.signed(body))).body.applied).toBe(true);
    await fixture.callBack(intentHash, body.replace('pending_anchor', 'error'), fixture.signed(body));
    expect(JSON.stringify(await documentOf(intentHash))).not.toMatch(/-SECRET/);
    expect(fixture.logged()).not.toMatch(/-SECRET/);
  });

  it('changes nothing for another transaction or no record, and attaches no transaction', async () => {
    const { intentHash } = await attached();
    const none = JSON.stringify({ hello: 'world' });
    expect((await fixture.callBack(intentHash, none, fixture.signed(none))).body.applied).toBe(false);
    const bare = await fixture.post(fixture.terms());
    for (const hash of [intentHash, bare.body.intentHash]) {
      const before = await documentOf(hash);
      const body = bodyOf('somebody-elses', { status: 'completed', amount_out: '1' });
      const answer = await fixture.callBack(hash, body, fixture.signed(body));
      expect(answer.body).toMatchObject({ status: 'pending', applied: false });
      expect(await documentOf(hash)).toEqual(before);
    }
  });

  it('changes nothing when repeated or older than the last applied one', async () => {
    const { intentHash, transactionId } = await attached();
    const older = bodyOf(transactionId, { status: 'error' });
    const olderHeaders = fixture.signed(older);
    await fixture.pass(second);
    const body = bodyOf(transactionId, { status: 'pending_user_transfer_start' });
    const headers = fixture.signed(body);
    expect((await fixture.callBack(intentHash, body, headers)).body.applied).toBe(true);
    const before = await documentOf(intentHash);
    await fixture.pass(minute);
    expect((await fixture.callBack(intentHash, body, headers)).body.applied).toBe(false);
    expect((await fixture.callBack(intentHash, older, olderHeaders)).body.applied).toBe(false);
    expect(await documentOf(intentHash)).toEqual(before);
  });

  it('applies one of 30 copies that arrive at once', async () => {
    const { intentHash, transactionId } = await attached();
    const body = bodyOf(transactionId, { status: 'refunded', stellar_transaction_id: 'ab' });
    const headers = fixture.signed(body);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => fixture.callBack(intentHash, body, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(answers.filter(({ body: answer }) => answer.applied)).toHaveLength(1);
    const events = (await fixture.events()).filter(({ data }) => data.intentHash === intentHash);
    expect(events.map(({ event }) => event)).toEqual(['intent.failed']);
  });
});

it('the callbacks of an anchor that grants no partner token settle an intent from start to end when the wallet gave the anchor the URL', async () => {
  const patch = { anchorId: 'windlass', corridor: 'usdc-mxn', deliveryMethod: 'bank_account' };
  const terms = fixture.terms(patch);
  const { body } = await fixture.post(terms);
  const id = await fixture.begin('windlass', {
    destination_asset: 'iso4217:MXN',
    funding_method: 'bank_account',
    on_change_callback: body.statusCallbackUrl,
  });
  await fixture.post({ ...terms, anchorTransactionId: id });
  await fixture.pass(30 * second);
  fixture.anchors.anchor('windlass').pay(id, { ending: 'complete' });
  for (let i = 0; i < 20; i += 1) await fixture.pass(30 * second);
  const intent = await fixture.read(body.intentHash);
  expect(fixture.anchors.anchor('windlass').callbacks().dropped).toBe(0);
  expect(intent).toMatchObject({ status: 'settled', outcome: { reason: 'completed', scored: true } });
});

describe('403 INVALID_SIGNATURE', () => {
  const body = (transactionId: string) =>
    bodyOf(transactionId, { status: 'completed', amount_out: '150000' });
  const forged = (text: string) => {
    const seed = createHash('sha256').update('forger').digest();
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const t = Math.floor(fixture.now() / 1_000);
    const s = sign(null, Buffer.from(`${t}.${host()}.${text}`), key).toString('base64');
    return { signature: `t=${t}, s=${s}` };
  };
  const moved = ({ signature = '' }: Record<string, string>, bySeconds: number) => ({
    signature: signature.replace(/t=(\d+)/, (_, t) => `t=${Number(t) + bySeconds}`),
  });

  it.each<[string, (text: string) => Record<string, string>]>([
    ['no signature', () => ({})],
    ['a malformed signature', () => ({ signature: 't=now, s=AAAA' })],
    ['a signature by the key of another anchor', (text) => fixture.signed(text, 'squall')],
    ["a signature by a key of the sender's own", forged],
    ['a signature over another host', (text) => fixture.signed(text, 'harbour', 'elsewhere.example')],
    ['a signature over another body, even of the same JSON', (text) => fixture.signed(` ${text}`)],
    ['another timestamp than the signed one', (text) => moved(fixture.signed(text), 1)],
  ])('for %s, and changes nothing', async (_name, headersOf) => {
    const { intentHash, transactionId } = await attached();
    const before = await documentOf(intentHash);
    const text = body(transactionId);
    const { status, body: answer } = await fixture.callBack(intentHash, text, headersOf(text));
    expect([status, answer]).toMatchObject([403, { code: 'INVALID_SIGNATURE' }]);
    expect(await documentOf(intentHash)).toEqual(before);
  });

  it('for a signature older than two minutes', async () => {
    const { intentHash, transactionId } = await attached();
    const headers = fixture.signed(body(transactionId));
    await fixture.pass(2 * minute + second);
    expect((await fixture.callBack(intentHash, body(transactionId), headers)).status).toBe(403);
  });
});

it('is 404 for an unknown hash, 400 for a body that is no JSON object, and 415 for another type', async () => {
  const body = bodyOf('a');
  const unknown = await fixture.callBack('0'.repeat(64), body, fixture.signed(body));
  expect([unknown.status, unknown.body]).toMatchObject([404, { code: 'UNKNOWN_INTENT' }]);
  const { intentHash } = await attached();
  expect((await fixture.callBack(intentHash, '[]', fixture.signed('[]'))).status).toBe(400);
  expect((await fixture.callBack(intentHash, '{', fixture.signed('{'))).status).toBe(400);
  const other = await fixture.callBack(intentHash, 'a=b', {
    ...fixture.signed('a=b'),
    'content-type': 'text/plain',
  });
  expect(other.status).toBe(415);
});

/** An intent at an anchor with a transaction of its own attached. */
async function attached(anchorId = 'harbour', patch: Record<string, unknown> = {}): Promise<Sent> {
  count += 1;
  const transactionId = `tx-${count}`;
  const terms = fixture.terms({ anchorId, anchorTransactionId: transactionId, ...patch });
  const { body } = await fixture.post(terms);
  return { intentHash: body.intentHash, transactionId };
}
