import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSimulatedFx } from '../../../scripts/simulated-anchors/fx.js';
import { answer, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { type ReceivedSpan, startCollector } from '../../fixtures/tracing/collector.js';
import { testAdminKey } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const secret = 'a secret that the tests share';
const admin = { 'x-admin-key': testAdminKey };
const statuses = [503, 200];
const collector = await startCollector();
const receiver = await startReceiver((response, delivery) =>
  answer(statuses.shift() ?? 200)(response, delivery),
);
const fx = await startSimulatedFx({ clock: Date.now, random: () => 0.5, seed: 'traces', port: 0 });
// Registered before the app's hook, so that these stop after the app has sent its last spans.
afterAll(async () => {
  await collector.stop();
  await receiver.stop();
  await fx.stop();
});
const fixture = intentsFixture({
  anchors: ['harbour'],
  allow: [receiver.origin],
  env: {
    FX_URL: fx.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of%20the%20collector',
    OTEL_SERVICE_NAME: 'fairlead-of-the-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  },
});

/** The spans from this one to the first of its trace. */
function ancestry(span: ReceivedSpan): ReceivedSpan[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentId);
  return parent === undefined ? [span] : [span, ...ancestry(parent)];
}

const names = (spans: ReceivedSpan[]) => spans.map(({ name }) => name);

describe('the trace of a request that makes an event', () => {
  let post: ReceivedSpan;
  let webhookId: string;

  beforeAll(async () => {
    const hook = { url: `${receiver.origin}/a-secret-path`, events: ['intent.settled'], secret };
    const path = '/api/admin/webhooks';
    const { body } = await fixture.app.client.request<{ id: string }>('POST', path, {
      headers: admin,
      body: hook,
    });
    webhookId = body.id;
    const anchorTransactionId = await fixture.begin('harbour');
    await fixture.post(fixture.terms({ anchorTransactionId }));
    await fixture.settle();
    fixture.anchors.anchor('harbour').pay(anchorTransactionId, { ending: 'stuck' });
    await fixture.pass(60_000);
    await fixture.settle();
    fixture.anchors
      .anchor('harbour')
      .amend(anchorTransactionId, { status: 'completed', amount_out: '150000' });
    await fixture.pass(60_000);
    await fixture.settle();
    await waitFor(() => expect(receiver.received.length).toBeGreaterThan(0));
    const delivery = await collector.named('deliver intent.settled');
    post = await waitFor(() => {
      const found = collector.spans.find(({ parentId }) => parentId === delivery.spanId);
      if (found === undefined) throw new Error('the POST of the delivery has not come');
      return found;
    });
  });

  it('leads from the request over MongoDB and the anchor to the delivery', async () => {
    expect(names(ancestry(post))).toEqual([
      'POST',
      'deliver intent.settled',
      'POST /api/reputation/reconcile',
    ]);
    const trace = await waitFor(() => {
      const spans = collector.ofTrace(post.traceId);
      expect(names(spans)).toContain('POST /api/reputation/reconcile');
      return spans;
    });
    const root = trace.find(({ parentId }) => parentId === '');
    expect(root).toMatchObject({ name: 'POST /api/reputation/reconcile', kind: 'server', failed: false });
    expect(root?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/reputation/reconcile',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    });
    const toAnchor = trace.find(({ attributes }) => attributes['fairlead.purpose'] === 'reconcile');
    expect(toAnchor).toMatchObject({ kind: 'client', name: 'GET' });
    expect(toAnchor?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(fixture.anchors.anchor('harbour').origin).port),
      'http.response.status_code': 200,
    });
    const intoOutbox = trace.find(({ name }) => name === 'insert outbox');
    expect(intoOutbox?.attributes).toMatchObject({
      'db.system.name': 'mongodb',
      'db.operation.name': 'insert',
      'db.collection.name': 'outbox',
    });
    expect(ancestry(intoOutbox as ReceivedSpan).at(-1)).toBe(root);
    expect(names(trace)).toEqual(expect.arrayContaining(['commitTransaction']));
  });

  it('is the one of the traceparent that the receiver got, at each attempt', async () => {
    const { body } = await fixture.app.client.request<{ items: { id: string }[] }>(
      'GET',
      `/api/admin/webhooks/${webhookId}/deliveries`,
      { headers: admin },
    );
    const again = `/api/admin/webhooks/${webhookId}/deliveries/${body.items[0]?.id}/resend`;
    await fixture.app.client.request('POST', again, { headers: admin });
    await waitFor(() => expect(receiver.received).toHaveLength(2));
    const headers = receiver.received.map(({ headers }) => String(headers.traceparent));
    for (const header of headers) expect(header).toMatch(new RegExp(`^00-${post.traceId}-[0-9a-f]{16}-01$`));
    expect(new Set(headers).size).toBe(2);
    expect(headers[0]).toContain(post.spanId);
    expect(post).toMatchObject({ failed: true, attributes: { 'error.type': '503' } });
    expect(receiver.faults).toEqual([]);
  });

  it('is named by the line of the request in the log', () => {
    expect(fixture.logged()).toContain(`traceId: '${post.traceId}'`);
  });

  it('is sent as what the variables say, with their headers', () => {
    expect(post.resource).toMatchObject({
      'service.name': 'fairlead-of-the-test',
      'deployment.environment.name': 'test',
    });
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer of the collector' },
    });
  });
});

describe('what every span leaves out', () => {
  it('is accounts, transactions, secrets, addresses of clients, and the text of commands and of paths', async () => {
    await fixture.app.client.request('GET', '/api/nowhere/GSTRANGER?secret=1', {
      headers: { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'a stranger' },
    });
    const [intent] = await fixture.documents().find({}).toArray();
    await waitFor(() => {
      const unmatched = collector.spans.find(({ name, kind }) => kind === 'server' && name === 'GET');
      expect(unmatched?.attributes).toMatchObject({ 'http.response.status_code': 404 });
      expect(unmatched?.attributes).not.toHaveProperty('http.route');
    });
    const told = JSON.stringify(collector.spans);
    const { account, transactionId, nonce } = intent as Record<string, unknown>;
    const untold = [account, transactionId, nonce, intent?._id, secret, 'a-secret-path', 'GSTRANGER'];
    for (const text of [...untold, '203.0.113.77', 'a stranger', testAdminKey])
      if (typeof text === 'string') expect(told).not.toContain(text);
    expect(untold.filter((text) => typeof text === 'string').length).toBeGreaterThan(5);
  });
});

describe('the header traceparent of a call', () => {
  it('goes to the services that the operator has named', async () => {
    await fixture.app.client.request('GET', '/api/rates/usdc-ngn?amount=123');
    await waitFor(() => expect(fx.seen.length).toBeGreaterThan(0));
    const call = await waitFor(() => {
      const found = collector.spans.find(({ attributes }) => attributes['fairlead.purpose'] === 'fx');
      if (found === undefined) throw new Error('no call of the FX reference has come');
      return found;
    });
    expect(fx.seen.map(({ traceparent }) => traceparent)).toContain(`00-${call.traceId}-${call.spanId}-01`);
  });

  it('does not go to anchors, whose addresses come from others', () => {
    const { seen } = fixture.anchors.anchor('harbour');
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.filter(({ traceparent }) => traceparent !== null)).toEqual([]);
  });
});
