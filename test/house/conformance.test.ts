import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contract } from '../../contract/index.js';
import { rateLimitClasses } from '../../contract/rate-limits.js';
import type { WebhookAnswer } from '../../contract/schemas/webhooks.js';
import { toHex } from '../../contract/verification/bytes.js';
import { decodePublicKey } from '../../contract/verification/strkey.js';
import { nothingObserved } from '../../server/features/intents/transition/settle-time.rules.js';
import { listRoutes } from '../../server/http/route-table.js';
import {
  anchorSigner,
  disputeOf,
  falseSignature,
  forms,
  signatureIn,
  signer,
} from '../fixtures/disputes/dispute-values.js';
import { day, disputePath, disputesFixture } from '../fixtures/disputes/disputes-over-http.js';
import { secret, webhooksFixture } from '../fixtures/webhooks/webhooks-over-http.js';
import type { Received } from '../support/answers.js';
import { testCronSecret } from '../support/app.js';
import { openStream } from '../support/event-stream.js';
import { waitFor } from '../support/wait-for.js';

/**
 * Checks docs/conformance.md, row by row, against the running service: one check per row, under the row's first cell. A row
 * without a check, or a check without a row, is a failure. Most of these rules have thorough tests next to their feature;
 * these checks show that each holds at all.
 */
const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| (.+?) \| .+ \| .+ \|$/gm)].map(([, cell = '']) => cell).slice(1);

const disputes = disputesFixture();
const status = { now: 200 };
const webhooks = webhooksFixture({ respond: (response) => response.writeHead(status.now).end() });
let clients = 0;
let signers = 0;

/** Sends a request as a new client. */
function ask(method: string, path: string, options: { headers?: object; body?: unknown } = {}) {
  clients += 1;
  const headers = { 'x-forwarded-for': `203.1.${clients >> 8}.${clients & 255}`, ...options.headers };
  return disputes.app.client.request<Record<string, unknown>>(method, path, { ...options, headers });
}

function fresh() {
  signers += 1;
  return signer(`conformance ${signers}`);
}

const limitOf = ({ headers }: Received) => headers.get('x-ratelimit-limit');
const remainingOf = ({ headers }: Received) => Number(headers.get('x-ratelimit-remaining'));

/** Sends the sample event to a webhook; resolves to its only delivery in its final state. */
async function deliverTo({ id }: WebhookAnswer) {
  await webhooks.admin('POST', `/api/admin/webhooks/${id}/test`, { event: 'publisher.tick' });
  const [delivery] = await webhooks.settled(id, 1);
  return delivery;
}

const checks: Record<string, () => Promise<void>> = {
  'Payloads "not shown"': async () => {
    // Every test compares each answer with the document; this checks that the service serves that document.
    const served = await fetch(`${disputes.app.url}/openapi.json`).then((answer) => answer.json());
    const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
    expect(served).toMatchObject({ paths: JSON.parse(written).paths });
  },
  'Default limit 60/60 s for "any other endpoint"': async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect(remainingOf(await ask('GET', '/api/corridors', { headers }))).toBe(59);
    expect(remainingOf(await ask('GET', '/api/anchors', { headers }))).toBe(59);
    expect(remainingOf(await ask('GET', '/api/nowhere', { headers }))).toBe(59);
    expect(remainingOf(await ask('PUT', '/api/elsewhere', { headers }))).toBe(58);
  },
  'Rate-limited endpoints return the headers': async () => {
    // test/edge/http/page.test.ts checks the same for the web page.
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs/', '/openapi.json'])
      expect((await fetch(disputes.app.url + path)).headers.get('x-ratelimit-limit')).toBeNull();
    expect(limitOf(await ask('GET', '/api/rates/usdc-xxx'))).toBe('90');
    const preflight = await fetch(`${disputes.app.url}/api/corridors`, { method: 'OPTIONS' });
    expect(preflight.headers.get('x-ratelimit-limit')).toBeNull();
  },
  'Limit "per client IP address"': async () => {
    const left = async (address: string) =>
      remainingOf(await ask('GET', '/api/corridors', { headers: { 'x-forwarded-for': address } }));
    expect(await left('2001:db8:9::1')).toBe(59);
    expect(await left('2001:db8:9::2')).toBe(58);
    expect(await left('2001:db8:9:1::1')).toBe(59);
  },
  'Limit "per client IP address" of the status callback, which is not in the table': async () => {
    expect(rateLimitClasses.callback).toEqual({ points: 12_000, windowSeconds: 60, key: 'anchor' });
    const intent = await disputes.add(fresh(), null);
    const told = { transaction: { id: 'x', status: 'completed' } };
    const unsigned = await ask('POST', `/api/intent/${intent._id}/status`, { body: told });
    expect([unsigned.status, limitOf(unsigned)]).toEqual([403, '60']);
  },
  '`X-RateLimit-Remaining`': async () => {
    const headers = { 'x-forwarded-for': '198.51.100.30' };
    const shown: number[] = [];
    for (let n = 0; n < 40; n += 1) shown.push(remainingOf(await ask('GET', '/api/corridors', { headers })));
    // The requests draw more than one portion, and no answer shows more than what is left.
    expect(shown).toEqual([...shown].sort((a, b) => b - a));
    expect(shown.every((remaining, place) => remaining <= 59 - place)).toBe(true);
  },
  '`X-RateLimit-Reset`': async () => {
    const { headers } = await ask('GET', '/api/corridors');
    const inSeconds = Number(headers.get('x-ratelimit-reset')) - disputes.now() / 1_000;
    expect(inSeconds).toBeGreaterThan(0);
    expect(inSeconds).toBeLessThanOrEqual(61);
  },
  'Error bodies for other failures "not shown"': async () => {
    const requests: [string, string, object, number][] = [
      ['GET', '/api/nowhere', {}, 404],
      ['DELETE', '/api/corridors', {}, 405],
      ['POST', disputePath, { body: { reason: 'x'.repeat(17_000) } }, 413],
      ['GET', `/api/corridors?cursor=${'x'.repeat(2_100)}`, {}, 414],
      ['POST', disputePath, { body: 'a', headers: { 'content-type': 'text/plain' } }, 415],
    ];
    for (const [method, path, options, expected] of requests) {
      const answer = await ask(method, path, options);
      expect(answer.status).toBe(expected);
      expect(answer.body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    }
  },
  'Corridor and anchor path values "not shown"': async () => {
    expect((await ask('GET', '/api/reputation/harbour')).status).toBe(200);
    expect((await ask('GET', '/api/rates/usdc-ngn')).status).toBe(200);
    expect((await ask('GET', `/api/anchors/${'a'.repeat(41)}`)).status).toBe(400);
  },
  'Status for an unknown corridor, anchor or delivery method "not shown"': async () => {
    const answers = [
      await ask('GET', '/api/rates/usdc-zzz'),
      await ask('GET', '/api/anchors/nobody'),
      await ask('GET', '/api/rates/usdc-ngn?deliveryMethod=pigeon'),
      await ask('GET', '/api/reputation/leaderboard?corridor=usdc-zzz'),
    ];
    expect(answers.map(({ status: code }) => code)).toEqual([404, 404, 422, 422]);
    expect((await ask('GET', '/api/rates/USDC-NGN')).body.corridor).toBe('usdc-ngn');
  },
  'A call without the correct credential "is not served"': async () => {
    const internal = await ask('POST', '/api/publisher/tick');
    expect([internal.status, internal.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const admin = await ask('GET', '/api/admin/disputes', { headers: { 'x-admin-key': 'another' } });
    expect([admin.status, admin.headers.get('www-authenticate')]).toEqual([401, null]);
    expect(admin.body.code).toBe('UNAUTHORIZED');
  },
  "A dispute's `anchorId`, `publicKey`": async () => {
    const owner = fresh();
    const body = disputeOf(await disputes.add(owner, 'settled'), owner);
    const asHex = { ...body, publicKey: toHex(decodePublicKey(owner.account)) };
    expect((await disputes.file(asHex)).status).toBe(201);
    const again = disputeOf(await disputes.add(owner, 'settled'), owner);
    expect(remainingOf(await disputes.file(again))).toBe(8);
  },
  'Dispute limit of 10 per 24 h, per publicKey': async () => {
    const owner = fresh();
    const body = disputeOf(await disputes.add(owner, 'settled'), owner);
    const bad = { ...body, signature: falseSignature };
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await disputes.file(bad)).status).toBe(403);
    const first = await disputes.file(body);
    expect([first.status, limitOf(first), remainingOf(first)]).toEqual([201, '10', 9]);
    const repeated = await disputes.file(body);
    expect([repeated.status, remainingOf(repeated)]).toEqual([200, 9]);
  },
  'A dispute "against an intent outcome"': async () => {
    const owner = fresh();
    const file = async (ending: Parameters<typeof disputes.add>[1], by = owner, ageMs = 0) => {
      const intent = await disputes.add(owner, ending);
      if (ageMs > 0) {
        const recordedAt = new Date(disputes.now() - ageMs);
        const $set = { 'outcome.recordedAt': recordedAt };
        const intents = disputes.app.connection.collection<{ _id: string }>('intents');
        await intents.updateOne({ _id: intent._id }, { $set });
      }
      const { status: answered, body } = await disputes.file(disputeOf(intent, by));
      return answered === 201 ? 201 : body.code;
    };
    const anchor = anchorSigner('harbour');
    expect(await file('settled')).toBe(201);
    expect(await file('expired')).toBe(201);
    expect(await file('failed', anchor)).toBe(201);
    expect(await file('failed')).toBe('SIGNER_NOT_ENTITLED');
    expect(await file('settled', anchor)).toBe('SIGNER_NOT_ENTITLED');
    expect(await file('settled', owner, 30 * day + 60_000)).toBe('DISPUTE_WINDOW_CLOSED');
    expect(await file('settled', owner, 30 * day - 60_000)).toBe(201);
  },
  'Disputes are accepted by their signature, whatever stands behind them': async () => {
    const address = '198.51.100.2';
    const answers = [];
    for (let count = 0; count < 4; count += 1) {
      const owner = fresh();
      const intent = await disputes.add(owner, 'expired', { observations: nothingObserved });
      answers.push(await disputes.file(disputeOf(intent, owner), { address }));
    }
    expect(answers.map(({ status: code }) => code)).toEqual([201, 201, 201, 429]);
    expect(answers[3]?.body.code).toBe('RATE_LIMITED');
    const id = answers[0]?.body.id ?? '';
    expect((await disputes.list()).body.items.at(-1)).toMatchObject({ id, support: 'unsupported' });
    expect((await disputes.resolve({ id, action: 'accept' })).status).toBe(400);
    expect((await disputes.resolve({ id, action: 'accept', evidence: 'The ledger.' })).status).toBe(200);
  },
  'A dispute\'s `reason` is "free text"': async () => {
    const owner = fresh();
    const body = disputeOf(await disputes.add(owner, 'settled'), owner);
    expect((await disputes.file({ ...body, reason: '' })).status).toBe(400);
    expect((await disputes.file({ ...body, reason: 'x'.repeat(2_001) })).status).toBe(400);
    expect((await disputes.file({ ...body, reason: 'x'.repeat(2_000) })).status).toBe(201);
  },
  'An unexpected body': async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('GET', '/api/corridors', { headers, body: 'not read' })).status).toBe(200);
    expect((await ask('GET', '/api/corridors?limits=5')).status).toBe(400);
    const owner = fresh();
    const body = disputeOf(await disputes.add(owner, 'settled'), owner);
    expect((await disputes.file({ ...body, reasons: 'mistyped' })).status).toBe(400);
  },
  'An outcome says how an off-ramp ended': async () => {
    const recorded = await disputes.add(fresh(), 'settled');
    if (recorded.outcome === null) throw new Error('no outcome');
    const unverified = await disputes.add(fresh(), 'settled', {
      outcome: { ...recorded.outcome, evidence: 'unverified' },
    });
    expect((await disputes.read(recorded._id)).outcome?.evidence).toBe('anchor');
    const { outcome } = await disputes.read(unverified._id);
    expect(outcome).toMatchObject({ status: 'settled', counts: 'no', uncountedReason: 'unverified' });
  },
  'Signature "over intentHash"': async () => {
    for (const form of forms) {
      const owner = fresh();
      const intent = await disputes.add(owner, 'settled');
      const signature = signatureIn(form, intent._id, owner);
      expect((await disputes.file({ ...disputeOf(intent, owner), signature })).status).toBe(201);
    }
  },
  '90 requests per 60 s for rates': async () => {
    const { points } = rateLimitClasses.newAmounts;
    const headers = { 'x-forwarded-for': '203.2.0.1' };
    const askFor = (amount: string) => ask('GET', `/api/rates/usdc-ngn?amount=${amount}`, { headers });
    for (let index = 0; index < points; index += 1) await askFor(`${100 + index}.5`);
    expect((await askFor('500.5')).status).toBe(429);
    const known = await askFor('100');
    expect([known.status, limitOf(known)]).toEqual([200, '90']);
  },
  '4xx "disables" a webhook': async () => {
    status.now = 410;
    const webhook = await webhooks.register('/refusing');
    await webhooks.emitTick();
    expect(await webhooks.settled(webhook.id, 1)).toMatchObject([{ state: 'refused' }]);
    const path = `/api/admin/webhooks/${webhook.id}`;
    expect((await webhooks.admin('GET', path)).body.enabled).toBe(false);
    status.now = 200;
    await webhooks.admin('PATCH', path, { enabled: true });
    expect((await webhooks.admin('GET', path)).body.enabled).toBe(true);
  },
  'A receiver answers 200 to acknowledge; 5xx and time-out are retried': async () => {
    status.now = 204;
    expect((await deliverTo(await webhooks.register('/no-content')))?.state).toBe('delivered');
    status.now = 302;
    const { id } = await webhooks.register('/elsewhere');
    await webhooks.admin('POST', `/api/admin/webhooks/${id}/test`, { event: 'publisher.tick' });
    const list = () => webhooks.admin<{ items: object[] }>('GET', `/api/admin/webhooks/${id}/deliveries`);
    await waitFor(async () =>
      expect((await list()).body.items[0]).toMatchObject({
        state: 'pending',
        attempts: [{ outcome: 'failed', status: 302 }],
      }),
    );
    status.now = 200;
  },
  'HTTPS address of a webhook': async () => {
    for (const url of ['http://example.com/', 'https://example.com:8443/', 'https://127.0.0.1/']) {
      const body = { url, events: ['publisher.tick'], secret };
      expect((await webhooks.admin('POST', '/api/admin/webhooks', body)).status).toBe(400);
    }
    expect((await webhooks.register('/allowed')).url).toBe(`${webhooks.receiver.origin}/allowed`);
  },
  'The registered secret signs; at most 3 retries': async () => {
    const webhook = await webhooks.register('/rotating');
    const next = 'another secret of the tests';
    await webhooks.admin('POST', `/api/admin/webhooks/${webhook.id}/secret`, { secret: next });
    await deliverTo(webhook);
    const post = webhooks.receiver.received.find(({ path }) => path === '/rotating');
    const signature = createHmac('sha256', secret)
      .update(post?.body ?? '')
      .digest('hex');
    expect(post?.headers['x-fairlead-signature']).toBe(signature);
    expect(String(post?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  },
  'A delivery has the header `X-<Service>-Signature`': async () => {
    await deliverTo(await webhooks.register('/headers'));
    const post = webhooks.receiver.received.find(({ path }) => path === '/headers');
    const names = [
      'x-fairlead-signature',
      'x-fairlead-event',
      'x-fairlead-test',
      'webhook-id',
      'webhook-timestamp',
    ];
    for (const name of [...names, 'webhook-signature']) expect(post?.headers).toHaveProperty(name);
  },
  'Data of `intent.failed`: five members': async () => {
    const { id } = await webhooks.register('/failed');
    await webhooks.admin('POST', `/api/admin/webhooks/${id}/test`, { event: 'intent.failed' });
    await webhooks.settled(id, 1);
    const post = webhooks.receiver.received.find(({ path }) => path === '/failed');
    const { data } = JSON.parse(post?.body ?? '{}');
    expect(Object.keys(data).sort()).toEqual(
      ['amount', 'anchorId', 'corridor', 'intentHash', 'reason', 'status'].sort(),
    );
  },
  "A webhook's `secret` is a string": async () => {
    const register = (text: string) => {
      const body = { url: `${webhooks.receiver.origin}/secret`, events: ['publisher.tick'], secret: text };
      return webhooks.admin('POST', '/api/admin/webhooks', body);
    };
    for (const bad of ['x'.repeat(15), 'x'.repeat(257), 'ü'.repeat(20)])
      expect((await register(bad)).status).toBe(400);
    for (const good of ['x'.repeat(16), '~'.repeat(256)]) expect((await register(good)).status).toBe(201);
  },
  '`publisher.tick`: "finished a batch submission to the oracle"': async () => {
    const env = { PUBLISHER_SECRET_KEY: '7a'.repeat(32) };
    const instance = await disputes.startAnother(env);
    const headers = { authorization: `Bearer ${testCronSecret}` };
    const post = (path: string) => instance.client.request('POST', path, { headers });
    const events = () => instance.connection.collection('outbox').find({ event: 'publisher.tick' }).toArray();
    await post('/api/reputation/refresh');
    await post('/api/publisher/tick');
    expect((await events()).map(({ data }) => data.submitted)).toEqual([false]);
    await post('/api/publisher/tick');
    expect(await events()).toHaveLength(1);
  },
  'The limits table': async () => {
    const owner = fresh();
    const body = { ...disputeOf(await disputes.add(owner, 'settled'), owner), signature: 'no' };
    expect(limitOf(await disputes.file(body))).toBe('60');
  },
  'Webhooks "planned" for 2.3': async () => {
    const { info, webhooks: events } = JSON.parse(
      readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
    );
    expect(info.version).toMatch(/^2\.3\.0/);
    expect(Object.keys(events)).toContain('intent.settled');
    expect((await webhooks.register('/planned')).enabled).toBe(true);
  },
  'Answers are JSON, one for each request': async () => {
    for (const path of ['/api/rates/usdc-ngn/stream', `/api/intent/${'0'.repeat(64)}/stream`]) {
      const stream = await openStream(disputes.app.url, path);
      stream.close();
      expect([stream.status, stream.headers['content-type']]).toEqual(
        path.includes('rates')
          ? [200, 'text/event-stream; charset=utf-8']
          : [404, 'application/json; charset=utf-8'],
      );
    }
  },
  'Answers are JSON': async () => {
    const typeOf = async (path: string, accept: string) =>
      (await ask('GET', path, { headers: { accept } })).headers.get('content-type');
    const today = `/api/rates/usdc-ngn/history?day=${new Date(disputes.now()).toISOString().slice(0, 10)}`;
    expect(await typeOf(today, 'text/csv')).toBe('text/csv; charset=utf-8');
    for (const [path, accept] of [
      [today, 'application/xml'],
      ['/api/rates/usdc-ngn/history', 'text/csv'],
      ['/api/corridors', 'text/csv'],
    ] as const)
      expect(await typeOf(path, accept)).toBe('application/json; charset=utf-8');
  },
  'Public scores and published batches, whose formula is "not shown"': async () => {
    expect((await ask('GET', '/v1/public/scores')).body).toMatchObject({ formula: 'v1' });
  },
  '"Versioning policy, deprecation rules and version headers: not shown"': async () => {
    const { headers } = await ask('GET', '/api/corridors');
    expect([...headers.keys()].filter((name) => /version|deprecation|sunset/.test(name))).toEqual([]);
  },
  'More endpoints than the table lists': async () => {
    const paths = listRoutes(contract).map(({ path }) => path);
    for (const path of [
      '/api/corridors',
      '/api/rates/:corridor/history',
      '/api/anchors',
      '/api/anchors/:anchor',
      '/api/intent/:intentHash',
    ])
      expect(paths).toContain(path);
    expect((await ask('GET', '/api/anchors/harbour')).status).toBe(200);
    expect((await ask('GET', '/api/anchors/harbour/observations')).status).toBe(200);
  },
};

describe('docs/conformance.md', () => {
  it('has a check for each row, and a row for each check', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect([...rows].sort()).toEqual(Object.keys(checks).sort());
  });

  it.each(rows)('is true of: %s', async (row) => {
    const check = checks[row];
    if (check === undefined) throw new Error('this row has no check');
    await check();
  });
});
