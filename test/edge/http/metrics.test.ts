import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contract } from '../../../contract/index.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

interface Sample {
  route: string;
  method: string;
  status: string;
  count: number;
}

/** How many requests were counted under which labels. */
async function samples(): Promise<Sample[]> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  const lines = text.matchAll(/^fairlead_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm);
  return [...lines].map(([, labels = '', count]) => ({
    ...(Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, k, v]) => [k, v]),
    ) as Omit<Sample, 'count'>),
    count: Number(count),
  }));
}

let clients = 0;
/** Resolves to the status. Any method at all may be sent. */
function send(method: string, path: string): Promise<number | undefined> {
  clients += 1;
  const headers = { 'x-forwarded-for': `198.18.${clients >> 8}.${clients & 255}` };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: app.port, method, path, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject);
    sent.end();
  });
}

const templates = [
  ...listRoutes(contract).map(({ path }) => path),
  ...['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', 'unmatched'],
];

it('counts requests by route template, method and status, without labels made of client text', async () => {
  // The first quote may come too late on a busy machine.
  await waitFor(async () => expect(await send('GET', '/api/rates/usdc-ngn?amount=100')).toBe(200));
  expect(await send('GET', '/api/rates/usdc-zzz')).toBe(404);
  for (let n = 0; n < 50; n += 1) {
    await send('GET', `/api/rates/usdc-${String.fromCharCode(97 + (n % 26))}zz`);
    await send('GET', `/wp-admin/${n}`);
    await send('GET', `/api/reputation/anchor-${n}`);
    await send('GET', `/docs/${n}`);
    await send('POST', `/api/rates/x${n}`);
  }
  for (const method of ['PUT', 'PROPFIND', 'M-SEARCH', 'TRACE', 'QUERY', 'PURGE'])
    await send(method, '/api/corridors');
  await send('GET', '/%');
  await send('GET', `/api/rates/usdc-ngn?amount=${'1'.repeat(3_000)}`);

  const counted = await samples();
  const foreign = counted.filter(({ route }) => !templates.some((template) => route === template));
  expect(foreign).toEqual([]);
  const methods = new Set(counted.map(({ method }) => method));
  expect([...methods].sort()).toEqual(['GET', 'OTHER', 'POST']);
  const of = (route: string, method: string, status: string) =>
    counted.find((each) => each.route === route && each.method === method && each.status === status)?.count;
  expect(of('/api/rates/:corridor', 'GET', '200')).toBe(1);
  expect(of('/api/rates/:corridor', 'GET', '404')).toBe(51);
  expect(of('/api/reputation/:anchor', 'GET', '404')).toBe(50);
  expect(of('unmatched', 'GET', '404')).toBeGreaterThanOrEqual(50);
  expect(of('unmatched', 'POST', '405')).toBe(50);
  expect(of('unmatched', 'GET', '400')).toBe(1);
  expect(of('unmatched', 'GET', '414')).toBe(1);
});

it('does not count an anchor whose answer cannot be read as one that answered 2xx', async () => {
  const value = async (series: string) => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.split(' ').at(-1) ?? Number.NaN);
  };
  const malformed = 'fairlead_anchor_quotes_total{anchor="harbour",outcome="malformed"}';
  const unreadable = 'fairlead_outbound_calls_total{purpose="rates",outcome="bad_response"}';
  expect(await value(malformed)).toBe(0);
  app.simulated.anchor('harbour').override('*', (_req, res) => void res.writeHead(200).end('<html>'));
  let amount = 470;
  // The metrics are rendered once a second, and an anchor that was late is left alone for a while.
  await waitFor(
    async () => {
      amount += 1;
      await send('GET', `/api/rates/usdc-ngn?amount=${amount}`);
      expect(await value(malformed)).toBeGreaterThanOrEqual(1);
    },
    { timeout: 30_000, interval: 1_000 },
  );
  expect(await value(unreadable)).toBeGreaterThanOrEqual(1);
  app.simulated.anchor('harbour').override('*', null);
}, 60_000);
