import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const token = 'metrics-token-of-the-tests-0123456789';
const oldToken = 'old-metrics-token-of-the-tests-012345';
const database = testDatabase();
let app: TestApp;

const scrape = (origin: string | undefined, headers: Record<string, string> = {}) =>
  fetch(`${origin}/metrics`, { headers });

describe('with METRICS_PORT', () => {
  beforeAll(async () => {
    app = await startTestApp({ uri: database.uri, env: { METRICS_PORT: '0' } });
  });
  afterAll(() => app.close());

  it('the metrics are on a port of their own', async () => {
    expect(app.metricsUrl).not.toBe(app.url);
    const answer = await scrape(app.metricsUrl);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await answer.text()).toMatch(/^process_resident_memory_bytes \d/m);
  });

  it.each(['GET', 'POST'] as const)(
    '%s of /metrics is 404 on the public port, and counted',
    async (method) => {
      const headers = { 'x-forwarded-for': `198.18.0.${method.length}` };
      const { status, body, headers: given } = await app.client.request(method, '/metrics', { headers });
      expect([status, body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
      expect(given.get('x-ratelimit-limit')).toBe('60');
    },
  );

  it('nothing else is on the port of the metrics', async () => {
    for (const path of ['/', '/healthz', '/api/corridors', '/docs']) {
      const answer = await fetch(`${app.metricsUrl}${path}`);
      expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
      expect(answer.status).toBe(404);
    }
    const posted = await fetch(`${app.metricsUrl}/metrics`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('with METRICS_TOKEN', () => {
  beforeAll(async () => {
    app = await startTestApp({ uri: database.uri, env: { METRICS_TOKEN: `${token},${oldToken}` } });
  });
  afterAll(() => app.close());

  it.each([token, oldToken])('a scrape with a token that is listed is answered', async (given) => {
    const answer = await scrape(app.url, { authorization: `Bearer ${given}` });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(given);
  });

  it.each([undefined, 'Bearer another', `Basic ${token}`, token])(
    'a scrape with %s is 401 in the common shape',
    async (authorization) => {
      const answer = await scrape(app.url, authorization === undefined ? {} : { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await answer.json()).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) });
    },
  );
});

describe('with both', () => {
  beforeAll(async () => {
    app = await startTestApp({ uri: database.uri, env: { METRICS_PORT: '0', METRICS_TOKEN: token } });
  });
  afterAll(() => app.close());

  it('the port of the metrics asks for the token', async () => {
    expect((await scrape(app.metricsUrl)).status).toBe(401);
    expect((await scrape(app.metricsUrl, { authorization: `Bearer ${token}` })).status).toBe(200);
  });
});
