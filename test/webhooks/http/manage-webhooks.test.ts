import { describe, expect, it } from '@jest/globals';
import type { WebhookAnswer } from '../../../contract/schemas/webhooks.js';
import { pauseWebhooks } from '../../../server/commands/maintenance.js';
import {
  type Refusal,
  secret,
  webhooksFixture,
  webhooksPath,
} from '../../fixtures/webhooks/webhooks-over-http.js';
import { expectFor } from '../../support/expect-for.js';

const fixture = await webhooksFixture();
const body = { url: 'https://wallet.example/hook', events: ['intent.settled'], secret };
const create = (changes: Record<string, unknown> = {}) =>
  fixture.admin('POST', webhooksPath, { ...body, ...changes });

describe('201', () => {
  it('answers with the new webhook and its Location, enabled, and without its secret', async () => {
    const { status, body: answer, headers } = await create();
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${webhooksPath}/${answer.id}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(answer).toMatchObject({
      url: body.url,
      events: ['intent.settled'],
      enabled: true,
      disabled: null,
      overlapEndsAt: null,
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
    const read = await fixture.admin('GET', headers.get('location') ?? '');
    expect(read.body).toEqual(answer);
  });

  it('keeps each event once, in the order of the contract', async () => {
    const events = ['publisher.tick', 'intent.settled', 'publisher.tick'];
    expect((await create({ events })).body.events).toEqual(['intent.settled', 'publisher.tick']);
  });

  it('registers the same address again as another webhook', async () => {
    const [one, two] = [await create(), await create()];
    expect(one.body.id).not.toBe(two.body.id);
  });

  it('accepts an address that the operator lists in OUTBOUND_ALLOW', async () => {
    expect((await create({ url: `${fixture.receiver.origin}/hook` })).status).toBe(201);
  });
});

describe('400', () => {
  it.each([
    ['body.url', { url: 'http://wallet.example/' }],
    ['body.url', { url: 'https://127.0.0.1/' }],
    ['body.url', { url: 'https://2130706433/' }],
    ['body.url', { url: 'https://[::ffff:127.0.0.1]/' }],
    ['body.url', { url: 'https://localhost/' }],
    ['body.url', { url: 'https://wallet.example:8443/' }],
    ['body.url', { url: 'https://me:password@wallet.example/' }],
    ['body.url', { url: 'wallet.example' }],
    ['body.url', { url: `https://wallet.example/${'x'.repeat(2_048)}` }],
    ['body.url', { url: 7 }],
    ['body.events', { events: [] }],
    ['body.events.0', { events: ['intent.created'] }],
    ['body.events', { events: undefined }],
    ['body.secret', { secret: 'too short' }],
    ['body.secret', { secret: 'x'.repeat(257) }],
    ['body.secret', { secret: 'planted sécret of the test' }],
    ['body.secret', { secret: undefined }],
    ['body.enabled', { enabled: true }],
  ])('names %s in %j', async (path, changes) => {
    const { status, body: refusal } = await create(changes);
    expect(status).toBe(400);
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.details?.map((detail) => detail.path)).toContain(path);
    expect(JSON.stringify(refusal)).not.toMatch(/planted|password/);
  });

  it('is the answer without a body', async () => {
    for (const sent of [undefined, {}])
      expect((await fixture.admin('POST', webhooksPath, sent)).body.code).toBe('INVALID_REQUEST');
  });
});

const unknown = `whk_${'0'.repeat(44)}`;
type WebhookPage = { items: WebhookAnswer[]; nextCursor: string | null };

const operations: [string, string, unknown][] = [
  ['GET', '', undefined],
  ['PATCH', '', { enabled: true }],
  ['DELETE', '', undefined],
  ['POST', '/secret', { secret: 'another secret of the tests' }],
  ['POST', '/test', undefined],
  ['GET', '/deliveries', undefined],
  ['POST', `/deliveries/dlv_${'0'.repeat(44)}/resend`, undefined],
  ['POST', '/resend', { since: '2026-11-21T09:00:00+01:00' }],
];

describe('GET /api/admin/webhooks 200', () => {
  it('lists webhooks in the order of registration, page by page', async () => {
    const before = await fixture.admin<WebhookPage>('GET', `${webhooksPath}?limit=100`);
    const ids = before.body.items.map(({ id }) => id);
    for (let index = 0; index < 5; index += 1) ids.push((await fixture.register(`/${index}`)).id);
    for (const limit of [1, 2, 5, 100]) {
      const listed: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await fixture.admin<WebhookPage>('GET', webhooksPath + query);
        listed.push(...body.items.map(({ id }) => id));
        cursor = body.nextCursor;
      }
      expect(listed).toEqual(ids);
    }
  });
});

describe('GET /api/admin/webhooks 400', () => {
  it.each(['limit=0', 'limit=101', 'cursor=!', 'cursor=abc', 'state=held'])('for ?%s', async (query) => {
    const { status, body } = await fixture.admin('GET', `${webhooksPath}?${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });

  it('for the cursor of another list', async () => {
    const { id } = await fixture.register();
    for (let count = 0; count < 2; count += 1) await fixture.admin('POST', `${webhooksPath}/${id}/test`);
    const path = `${webhooksPath}/${id}/deliveries?limit=1`;
    const { nextCursor } = (await fixture.admin<WebhookPage>('GET', path)).body;
    expect(nextCursor).not.toBeNull();
    expect((await fixture.admin('GET', `${webhooksPath}?cursor=${nextCursor}`)).status).toBe(400);
    expect((await fixture.admin('GET', `${path}&state=pending&cursor=${nextCursor}`)).status).toBe(400);
    expect((await fixture.admin('GET', `${path}&cursor=${nextCursor}`)).status).toBe(200);
  });
});

describe('PATCH 200', () => {
  it('changes the fields that are given and no others', async () => {
    const { id, createdAt, secretChangedAt } = await fixture.register('/before');
    const url = `${fixture.receiver.origin}/after`;
    const changed = await fixture.admin('PATCH', `${webhooksPath}/${id}`, { url });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id, url, events: ['publisher.tick'], createdAt, secretChangedAt });
    const events = ['anchor.onboarded', 'dispute.created'];
    const again = await fixture.admin('PATCH', `${webhooksPath}/${id}`, { events, enabled: false });
    expect(again.body).toMatchObject({
      url,
      events: ['dispute.created', 'anchor.onboarded'],
      enabled: false,
      disabled: { reason: 'admin', status: null },
    });
    const enabled = await fixture.admin('PATCH', `${webhooksPath}/${id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, disabled: null });
    expect((await fixture.admin('GET', `${webhooksPath}/${id}`)).body).toEqual(enabled.body);
  });
});

describe('PATCH 400', () => {
  it.each([
    {},
    { url: 'https://10.0.0.1/' },
    { url: 'http://wallet.example/' },
    { events: [] },
    { enabled: 'true' },
    { secret: 'a secret has an endpoint of its own' },
    [],
  ])('for %j', async (body) => {
    const { id } = await fixture.register();
    const { status, body: refusal } = await fixture.admin('PATCH', `${webhooksPath}/${id}`, body);
    expect({ status, code: refusal.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });
});

describe('DELETE 200', () => {
  it('deletes the webhook: every operation on it answers 404 afterwards', async () => {
    const { id } = await fixture.register();
    const path = `${webhooksPath}/${id}`;
    const { status, body } = await fixture.admin<{ id: string; deletedAt: string }>('DELETE', path);
    expect(status).toBe(200);
    expect(body).toEqual({ id, deletedAt: expect.stringMatching(/Z$/) });
    for (const [method, rest, sent] of operations)
      expectFor(`${method} ${rest}`, (await fixture.admin(method, path + rest, sent)).status).toBe(404);
  });
});

describe.each(operations)('%s /api/admin/webhooks/{id}%s', (method, rest, body) => {
  it.each([
    [404, 'UNKNOWN_WEBHOOK', 'a webhook that never was', unknown],
    [400, 'INVALID_REQUEST', 'something that is not an id', 'whk_1'],
  ])('%i %s for %s', async (status, code, _what, id) => {
    const answer = await fixture.admin(method, `${webhooksPath}/${id}${rest}`, body);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  });

  it('401 without the admin key', async () => {
    const sent = body === undefined ? {} : { body };
    const path = `${webhooksPath}/${unknown}${rest}`;
    expect((await fixture.app.client.request<Refusal>(method, path, sent)).status).toBe(401);
  });
});

describe('POST /api/admin/webhooks/{id}/secret', () => {
  it('200: answers with the end of the overlap, and without the secret', async () => {
    const { id } = await fixture.register();
    const planted = 'planted secret of this test';
    const path = `${webhooksPath}/${id}/secret`;
    const { status, body } = await fixture.admin('POST', path, { secret: planted });
    expect(status).toBe(200);
    const overlapMs = Date.parse(body.overlapEndsAt ?? '') - Date.parse(body.secretChangedAt);
    expect(overlapMs).toBe(86_400_000);
    expect(JSON.stringify(body)).not.toContain(planted);
    const short = await fixture.admin('POST', path, { secret: planted, overlapSeconds: 0 });
    expect(short.body.overlapEndsAt).toBeNull();
  });

  it.each([{}, { secret: 'short' }, { secret: 'planted enough', overlapSeconds: 86_401 }])(
    '400 for %j',
    async (body) => {
      const { id } = await fixture.register();
      const answer = await fixture.admin('POST', `${webhooksPath}/${id}/secret`, body);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain('planted');
    },
  );
});

it('pause-webhooks disables what is enabled, and reports separately what was paused before', async () => {
  process.env.MONGODB_URI = fixture.app.config.mongodbUri;
  const { id } = (await create()).body;
  const containingIt = expect.arrayContaining([expect.objectContaining({ id })]);
  expect((await pauseWebhooks.run([])).report).toMatchObject({ paused: containingIt });
  expect((await fixture.admin('GET', `${webhooksPath}/${id}`)).body).toMatchObject({ enabled: false });
  expect((await pauseWebhooks.run([])).report).toMatchObject({ paused: [], pausedBefore: containingIt });
});
