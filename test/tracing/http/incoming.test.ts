import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Collector, startCollector } from '../../fixtures/tracing/collector.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let collector: Collector;
let app: TestApp;

beforeAll(async () => {
  collector = await startCollector();
  app = await startTestApp({ uri: database.uri, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(async () => {
  await app.close();
  await collector.stop();
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

/** Sends the requests and waits for their spans, in order: spans are exported every two seconds. */
async function spansOf(requests: { method?: string; path: string; traceparent?: string }[]) {
  const before = collector.spans.length;
  const served = () => collector.spans.slice(before).filter(({ kind }) => kind === 'server');
  for (const { path, method = 'GET', traceparent } of requests)
    await fetch(app.url + path, { method, headers: traceparent === undefined ? {} : { traceparent } });
  return waitFor(() => {
    if (served().length < requests.length) throw new Error(`${served().length} spans have come`);
    return served();
  });
}

describe('a traceparent that a client sends', () => {
  it('is linked to, and neither names our trace nor decides whether it is sampled', async () => {
    const sent = ['00', '01'].map((flags) => `00-${traceId}-${spanId}-${flags}`);
    const spans = await spansOf(sent.map((traceparent) => ({ path: '/api/corridors', traceparent })));
    expect(spans).toHaveLength(2);
    for (const span of spans) {
      expect(span.links).toEqual([{ traceId, spanId }]);
      expect(span.traceId).not.toBe(traceId);
      expect(span.parentId).toBe('');
    }
  });

  it('is ignored where it is malformed', async () => {
    const malformed = [
      'nonsense',
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    ];
    const spans = await spansOf(malformed.map((traceparent) => ({ path: '/api/corridors', traceparent })));
    expect(spans.map(({ links }) => links)).toEqual(malformed.map(() => []));
  });
});

describe('the span of a request', () => {
  it('is made as well where the response cache answers, with the same name', async () => {
    const spans = await spansOf([{ path: '/api/anchors' }, { path: '/api/anchors' }]);
    for (const span of spans)
      expect(span).toMatchObject({
        name: 'GET /api/anchors',
        attributes: { 'http.route': '/api/anchors', 'http.response.status_code': 200 },
      });
  });

  it('has the template of its route, and a method that is known', async () => {
    const [rates, other] = await spansOf([
      { path: '/api/rates/usdc-ngn' },
      { method: 'PROPFIND', path: '/api/corridors' },
    ]);
    expect(rates?.name).toBe('GET /api/rates/:corridor');
    expect(other).toMatchObject({ name: 'HTTP', attributes: { 'http.request.method': '_OTHER' } });
  });

  it('is not made of probes and scrapes', async () => {
    const paths = ['/healthz', '/readyz', '/metrics'];
    for (const path of paths) await fetch(app.url + path);
    const spans = await spansOf([{ path: '/api/corridors' }]);
    expect(spans.map(({ name }) => name)).toEqual(['GET /api/corridors']);
  });
});
