import { afterAll, describe, expect, it } from '@jest/globals';
import { startCollector } from '../../fixtures/tracing/collector.js';
import { secret, webhooksFixture, webhooksPath } from '../../fixtures/webhooks/webhooks-over-http.js';
import { waitFor } from '../../support/wait-for.js';

const collector = await startCollector();
// This hook is registered before the apps', so that the collector stops after they have sent their last spans.
afterAll(() => collector.stop());
const off = webhooksFixture();
const unsampled = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
};
const quiet = webhooksFixture({ env: unsampled });
const on = webhooksFixture({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });

type Fixture = typeof off;

/** The delivery of a test event, as it was stored and as it arrived. */
async function testDelivery(fixture: Fixture) {
  const { id } = await fixture.register();
  await fixture.admin('POST', `${webhooksPath}/${id}/test`, { event: 'publisher.tick' });
  await fixture.settled(id, 1);
  const stored = await fixture.app.connection.collection('deliveries').findOne({ webhookId: id });
  return { stored, received: fixture.receiver.received.at(-1) };
}

/** An event as release 2.3.0 writes it. */
async function emitAsBefore(fixture: Fixture, webhookId: string) {
  await fixture.app.connection.collection('outbox').insertOne({
    _id: 'evt_0123456789abcdef0123456789abcdef' as never,
    event: 'publisher.tick',
    createdAt: new Date(),
    data: { batchId: '1' },
    subscribers: [webhookId],
    open: true,
  });
}

describe('where traces are off', () => {
  it('a delivery has no traceparent, and nothing of a trace is stored', async () => {
    const { stored, received } = await testDelivery(off);
    expect(stored).toMatchObject({ state: 'delivered' });
    expect(stored).not.toHaveProperty('traceparent');
    expect(received?.headers).not.toHaveProperty('traceparent');
    const events = await off.app.connection.collection('outbox').find({}).toArray();
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(event).not.toHaveProperty('traceparent');
  });

  it('a client that sends a traceparent changes nothing of that', async () => {
    const { id } = await off.register();
    const headers = {
      'x-admin-key': off.app.config.adminKeys[0] ?? '',
      'content-type': 'application/json',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const body = JSON.stringify({ event: 'publisher.tick' });
    const path = `${off.app.url}${webhooksPath}/${id}/test`;
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(202);
    await off.settled(id, 1);
    expect(off.receiver.received.at(-1)?.headers).not.toHaveProperty('traceparent');
  });
});

describe('where a request is not sampled', () => {
  it('its deliveries have the traceparent of it that says so, and no span is sent', async () => {
    const { stored, received } = await testDelivery(quiet);
    const traceId = /^00-([0-9a-f]{32})-[0-9a-f]{16}-00$/.exec(String(stored?.traceparent))?.[1];
    expect(String(received?.headers.traceparent)).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    await quiet.app.close();
    expect(collector.ofTrace(String(traceId))).toEqual([]);
  });
});

describe('an event without a trace, as the release before writes it', () => {
  it('is delivered in a trace of its own', async () => {
    const { id } = await on.register('/', ['publisher.tick']);
    await emitAsBefore(on, id);
    const [delivery] = await on.settled(id, 1);
    expect(delivery).toMatchObject({ state: 'delivered' });
    const received = await waitFor(() => {
      const found = on.receiver.received.find(({ body }) => body.includes('evt_0123456789abcdef'));
      if (found === undefined) throw new Error('the delivery has not come');
      return found;
    });
    const span = await collector.named('deliver publisher.tick');
    expect(span.parentId).toBe('');
    expect(String(received.headers.traceparent)).toContain(span.traceId);
  });
});

it('secrets of webhooks are in no span', () => {
  expect(collector.spans.length).toBeGreaterThan(0);
  expect(JSON.stringify(collector.spans)).not.toContain(secret);
});
