import { describe, expect, it } from '@jest/globals';
import type { DeliveryAnswer } from '../../../contract/schemas/webhooks.js';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import {
  type DeliveryPage,
  type Refusal,
  secret,
  webhooksFixture,
  webhooksPath,
} from '../../fixtures/webhooks/webhooks-over-http.js';

const fixture = await webhooksFixture({
  respond: (response, { path }) => {
    const status = Number(path.slice(1)) || 200;
    response.writeHead(status, { 'content-type': 'text/html' }).end(status >= 400 ? '<h1>no</h1>' : '');
  },
});
const sendTest = (id: string, body?: unknown) =>
  fixture.admin<DeliveryAnswer & Refusal>('POST', `${webhooksPath}/${id}/test`, body);

describe('POST /api/admin/webhooks/{id}/test 202', () => {
  it('sends a test event at once, which verifies and is marked as a test', async () => {
    const { id } = await fixture.register('/');
    const before = fixture.receiver.received.length;
    const { status, body } = await sendTest(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ webhookId: id, event: 'publisher.tick', test: true, state: 'pending' });
    const [delivery] = await fixture.settled(id, 1);
    expect(delivery).toMatchObject({ id: body.id, state: 'delivered', body: body.body });
    expect(delivery?.attempts).toMatchObject([
      { attempt: 1, outcome: 'acknowledged', status: 200, answer: '' },
    ]);
    const received = fixture.receiver.received[before];
    const envelope = verifyWebhook({
      body: received?.body ?? '',
      headers: received?.headers ?? {},
      secret,
    });
    expect(envelope.id).toBe(body.eventId);
    expect(received?.headers['x-fairlead-test']).toBe('true');
    expect(fixture.receiver.faults).toEqual([]);
  });

  it('sends any event that is asked for, subscribed or not', async () => {
    const { id } = await fixture.register('/');
    expect((await sendTest(id, { event: 'dispute.resolved' })).body.event).toBe('dispute.resolved');
    expect((await sendTest(id, {})).body.event).toBe('publisher.tick');
  });
});

describe('POST /api/admin/webhooks/{id}/test 400', () => {
  it.each([{ event: 'intent.created' }, { events: [] }])('for %j', async (body) => {
    const { id } = await fixture.register('/');
    expect((await sendTest(id, body)).status).toBe(400);
  });
});

describe('a receiver that refuses', () => {
  it('leaves its webhook as it is, where it refuses a test', async () => {
    const { id } = await fixture.register('/422');
    const before = (await fixture.admin('GET', `${webhooksPath}/${id}`)).body;
    await sendTest(id);
    expect(await fixture.settled(id, 1)).toMatchObject([{ state: 'refused', test: true }]);
    expect((await fixture.admin('GET', `${webhooksPath}/${id}`)).body).toEqual(before);
  });
});

describe('GET /api/admin/webhooks/{id}/deliveries', () => {
  it('200: lists deliveries of a state, newest first, page by page', async () => {
    const { id } = await fixture.register('/');
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await sendTest(id)).body.id);
    await fixture.settled(id, 5);
    const path = `${webhooksPath}/${id}/deliveries`;
    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `?state=delivered&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { status, body } = await fixture.admin<DeliveryPage>('GET', path + query);
      expect(status).toBe(200);
      listed.push(...body.items.map((item) => item.id));
      cursor = body.nextCursor;
    }
    expect(listed).toEqual([...made].sort().reverse());
    for (const state of ['pending', 'held', 'refused', 'exhausted'])
      expect((await fixture.admin<DeliveryPage>('GET', `${path}?state=${state}`)).body.items).toEqual([]);
  });

  it.each(['state=sent', 'limit=0', 'cursor=abc'])('400 for ?%s', async (query) => {
    const { id } = await fixture.register('/');
    expect((await fixture.admin('GET', `${webhooksPath}/${id}/deliveries?${query}`)).status).toBe(400);
  });
});

describe('POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/resend', () => {
  it('202: sends the same id and body once more', async () => {
    const { id } = await fixture.register('/204');
    const { eventId } = (await sendTest(id)).body;
    const [first] = await fixture.settled(id, 1);
    const path = `${webhooksPath}/${id}/deliveries/${first?.id}/resend`;
    const { status, body } = await fixture.admin<DeliveryAnswer>('POST', path);
    expect({ status, state: body.state, id: body.id }).toEqual({
      status: 202,
      state: 'pending',
      id: first?.id,
    });
    const [again] = await fixture.settled(id, 1);
    expect(again?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const posts = fixture.receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId);
    expect(posts).toHaveLength(2);
    expect(posts[0]?.body).toBe(posts[1]?.body);
  });

  it("404 for another webhook's delivery", async () => {
    const [one, two] = [await fixture.register('/'), await fixture.register('/')];
    const delivery = (await sendTest(one.id)).body;
    const path = `${webhooksPath}/${two.id}/deliveries/${delivery.id}/resend`;
    const { status, body } = await fixture.admin('POST', path, {});
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'UNKNOWN_WEBHOOK' });
  });

  it('400 for a body that is not empty', async () => {
    const { id } = await fixture.register('/');
    const delivery = (await sendTest(id)).body;
    const path = `${webhooksPath}/${id}/deliveries/${delivery.id}/resend`;
    expect((await fixture.admin('POST', path, { now: true })).status).toBe(400);
  });
});

describe('POST /api/admin/webhooks/{id}/resend', () => {
  const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

  it('202: says how many failed deliveries it sends again, and sends them', async () => {
    const { id } = await fixture.register('/410');
    const { eventId } = (await sendTest(id)).body;
    await fixture.settled(id, 1);
    // Test deliveries are left out, so the refused one is turned into an ordinary delivery.
    await fixture.app.connection.collection('deliveries').updateOne({ eventId }, { $set: { test: false } });
    const url = `${fixture.receiver.origin}/`;
    await fixture.admin('PATCH', `${webhooksPath}/${id}`, { url, enabled: true });
    const resend = () => fixture.admin('POST', `${webhooksPath}/${id}/resend`, { since: hourAgo() });
    expect(await resend()).toMatchObject({ status: 202, body: { resent: 1, more: false } });
    const [again] = await fixture.settled(id, 1);
    expect(again).toMatchObject({ eventId, state: 'delivered' });
    expect(again?.attempts.map(({ outcome }) => outcome)).toEqual(['refused', 'acknowledged']);
    expect(await resend()).toMatchObject({ status: 202, body: { resent: 0, more: false } });
  });

  it.each([undefined, {}, { since: 'yesterday' }, { since: '2026-11-31T00:00:00.000Z' }, { after: 1 }])(
    '400 for %j',
    async (body) => {
      const { id } = await fixture.register('/');
      expect((await fixture.admin('POST', `${webhooksPath}/${id}/resend`, body)).status).toBe(400);
    },
  );
});

describe('/metrics', () => {
  it('counts ended deliveries by state, without naming a webhook', async () => {
    const { body } = await fixture.app.client.request<string>('GET', '/metrics');
    expect(body).toMatch(/fairlead_webhook_deliveries_total\{state="refused"\} [1-9]/);
    expect(body).not.toMatch(/whk_|dlv_/);
    expect(body).not.toContain(secret);
  });
});
