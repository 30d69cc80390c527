import { afterAll, describe, expect, it } from '@jest/globals';
import { contract } from '../../../contract/index.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { edgeFixture } from '../../fixtures/edge/raw-requests.js';
import { newClient } from '../../fixtures/new-client.js';
import { startTestApp } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await edgeFixture();
const scrape = (origin: string | undefined, headers: Record<string, string> = {}) =>
  fetch(`${origin}/metrics`, { headers });
const scraped = async () => (await scrape(fixture.app.url)).text();

/** Resolves to the status. Any method at all may be sent. */
async function send(method: string, path: string): Promise<number> {
  const client = `X-Forwarded-For: ${newClient()['x-forwarded-for']}`;
  const lines = ['Host: x', 'Connection: close', client, '', ''];
  return Number((await fixture.raw([`${method} ${path} HTTP/1.1`, ...lines].join('\r\n'))).split(' ')[1]);
}

const templates = [
  ...listRoutes(contract).map(({ path }) => path),
  ...['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', 'unmatched'],
];

it('requests are counted by route template, method and status, without labels made of client text', async () => {
  // The first quote may come too late on a busy machine.
  await waitFor(async () => expect(await send('GET', '/api/rates/usdc-ngn?amount=100')).toBe(200));
  const names = 'abcdefghijklmno'.split('');
  const unknown = names.flatMap((name) => [`rates/usdc-${name}zz`, `reputation/anchor-${name}`]);
  const paths = names.flatMap((name) => [`/wp-admin/${name}`, `/docs/${name}`]);
  const long = `/api/rates/usdc-ngn?amount=${'1'.repeat(3_000)}`;
  await Promise.all([
    ...unknown.map(async (path) => expect(await send('GET', `/api/${path}`)).toBe(404)),
    ...[...paths, '/%', long].map((path) => send('GET', path)),
    ...names.map((name) => send('POST', `/api/rates/x${name}`)),
    ...['PUT', 'PROPFIND', 'M-SEARCH', 'TRACE', 'PURGE'].map((method) => send(method, '/api/corridors')),
  ]);

  const lines = (await scraped()).matchAll(/^fairlead_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm);
  const counted = [...lines].map(([, labels = '', count]) => ({
    ...Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, k, v]) => [k, v])),
    count: Number(count),
  })) as { route: string; method: string; status: string; count: number }[];
  expect(counted.filter(({ route }) => !templates.includes(route))).toEqual([]);
  const methods = new Set(counted.map(({ method }) => method));
  expect([...methods].sort()).toEqual(['GET', 'OTHER', 'POST']);
  const of = (route: string, method: string, status: string) =>
    counted.find((each) => each.route === route && each.method === method && each.status === status)?.count;
  expect(of('/api/rates/:corridor', 'GET', '200')).toBe(1);
  expect(of('/api/rates/:corridor', 'GET', '404')).toBe(15);
  expect(of('/api/reputation/:anchor', 'GET', '404')).toBe(15);
  expect(of('unmatched', 'GET', '404')).toBeGreaterThanOrEqual(15);
  expect(of('unmatched', 'POST', '405')).toBe(15);
  expect(of('unmatched', 'GET', '400')).toBe(1);
  expect(of('unmatched', 'GET', '414')).toBe(1);
});

it('an anchor whose answer cannot be read is counted as such, not as one that answered 2xx', async () => {
  const malformed = /^fairlead_anchor_quotes_total\{anchor="harbour",outcome="malformed"\} [1-9]/m;
  const unreadable = /^fairlead_outbound_calls_total\{purpose="rates",outcome="bad_response"\} [1-9]/m;
  expect(await scraped()).not.toMatch(malformed);
  fixture.app.simulated.anchor('harbour').override('*', (_req, res) => void res.writeHead(200).end('<html>'));
  let amount = 470;
  // The metrics are rendered once a second, and an anchor that was late is left alone for a while.
  await waitFor(
    async () => {
      amount += 1;
      await fixture.send('GET', `/api/rates/usdc-ngn?amount=${amount}`);
      const text = await scraped();
      for (const series of [malformed, unreadable]) expect(text).toMatch(series);
    },
    { timeout: 30_000, interval: 1_000 },
  );
}, 60_000);

const token = 'metrics-token-of-the-tests-0123456789';
const oldToken = `old-${token}`;
const start = (env: Record<string, string>) =>
  startTestApp({ uri: fixture.uri, simulated: fixture.app.simulated, env });
const apart = await start({ METRICS_PORT: '0', METRICS_TOKEN: token });
const guarded = await start({ METRICS_TOKEN: `${token},${oldToken}` });

describe('the metrics', () => {
  afterAll(async () => {
    await apart.close();
    await guarded.close();
  });

  it('are with METRICS_PORT on a port of their own, with nothing else on it and the token asked for', async () => {
    expect(apart.metricsUrl).not.toBe(apart.url);
    const answer = await scrape(apart.metricsUrl, { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await answer.text()).toMatch(/^process_resident_memory_bytes \d/m);
    expect((await scrape(apart.metricsUrl)).status).toBe(401);
    for (const path of ['/', '/healthz', '/api/corridors', '/docs']) {
      const other = await fetch(`${apart.metricsUrl}${path}`);
      expect([other.status, await other.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    }
    const posted = await fetch(`${apart.metricsUrl}/metrics`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it.each(['GET', 'POST'])('are then unknown on the public port, and counted as such: %s', async (method) => {
    const { status, body, headers } = await apart.client.request(method, '/metrics', {
      headers: newClient(),
    });
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  const refused = [undefined, 'Bearer another', `Basic ${token}`, token];
  const taken = [`Bearer ${token}`, `Bearer ${oldToken}`];
  it.each([...taken.map((each) => [each, 200] as const), ...refused.map((each) => [each, 401] as const)])(
    'are given with METRICS_TOKEN to whoever has one that is listed: %s is %i',
    async (authorization, status) => {
      const answer = await scrape(guarded.url, authorization === undefined ? {} : { authorization });
      expect(answer.status).toBe(status);
      const body = await answer.text();
      for (const each of [token, oldToken]) expect(body).not.toContain(each);
      if (status === 200) return;
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(JSON.parse(body)).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) });
    },
  );
});
