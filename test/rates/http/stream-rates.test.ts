import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { testAdminKey, testApp } from '../../support/app.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';

let now = Date.UTC(2026, 10, 21, 9, 30);
let clients = 0;
const open: OpenStream<unknown>[] = [];

const app = await testApp({ world: { clock: () => now } });

beforeEach(() => {
  // The reference amount was asked for at the start, when a busy machine may have made every anchor late.
  now += 60_000;
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
  for (const each of app.simulated.anchors) each.override('*', null);
});

async function invalidate(): Promise<void> {
  const { status } = await app.client.request('POST', '/api/admin/cache/invalidate', {
    headers: { 'x-admin-key': testAdminKey },
    body: { scope: 'rates' },
  });
  expect(status).toBe(200);
}

describe('200', () => {
  it('begins with the answer of GET, tells how long to wait before the next connection, and is never kept', async () => {
    const stream = await follow('?amount=150');
    const [first] = await stream.received(1);
    const { body } = await app.client.request<RatesAnswer>('GET', '/api/rates/usdc-ngn?amount=150');
    expect(first).toEqual({ event: 'rates', data: body });
    expect(stream.text()).toMatch(/^retry: [2-5]\d{3}\n\n/);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-ratelimit-limit': '60',
      'access-control-allow-origin': '*',
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
  });

  it('sends the next answer to every reader when the rates are invalidated', async () => {
    const streams = [await follow(), await follow(), await follow('?sort=speed')];
    for (const stream of streams) await stream.received(1);
    now += 2_000;
    await invalidate();
    for (const stream of streams) {
      const [before, after] = await stream.received(2);
      expect(after?.data.asOf).not.toBe(before?.data.asOf);
    }
    expect(streams[1]?.events).toEqual(streams[0]?.events);
  });

  it('tells of a problem when no anchor has a quote any more, and goes on when one has', async () => {
    const stream = await follow();
    await stream.received(1);
    for (const each of app.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(502).end());
    now += 61_000;
    await invalidate();
    const [, problem] = await stream.received(2);
    expect(problem).toMatchObject({ event: 'problem', data: { code: 'RATES_UNAVAILABLE' } });
    for (const each of app.simulated.anchors) each.override('*', null);
    now += 121_000;
    const [, , after] = await stream.received(3);
    expect(after).toMatchObject({ event: 'rates', data: { stale: false } });
  });

  it('answers HEAD with the same headers and opens nothing', async () => {
    const head = await openStream(app.url, '/api/rates/usdc-ngn/stream', { method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await head.ended).toBe(true);
  });
});

describe('errors before the stream', () => {
  it.each([
    ['an unknown parameter', '?asOf=2026-11-21T09:00:00Z', 400, 'INVALID_REQUEST'],
    ['an amount that is none', '?amount=much', 400, 'INVALID_REQUEST'],
    ['a method that nobody offers', '?deliveryMethod=pigeon', 422, 'UNSUPPORTED_PAIR'],
    ['an amount beyond the corridor', '?amount=99999999', 422, 'AMOUNT_OUT_OF_RANGE'],
  ])('for %s are those of GET', async (_name, query, status, code) => {
    const stream = await follow(query);
    expect([stream.status, stream.body.code]).toEqual([status, code]);
  });

  it('are 404 for a corridor that is not served', async () => {
    const stream = await openStream(app.url, '/api/rates/usdc-zzz/stream');
    expect([stream.status, stream.body.code]).toEqual([404, 'UNKNOWN_CORRIDOR']);
  });

  it('are 503 while no anchor has a quote', async () => {
    for (const each of app.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(502).end());
    now += 300_000;
    const stream = await follow('?amount=777');
    expect([stream.status, stream.body.code]).toEqual([503, 'RATES_UNAVAILABLE']);
    now += 300_000;
  });

  it('are 429 for the twenty-first stream of a client behind a proxy, until one of them closes', async () => {
    const client = { 'x-forwarded-for': '198.51.100.7' };
    const held: OpenStream<unknown>[] = [];
    for (let count = 0; count < 20; count += 1) held.push(await follow('', client));
    expect(held.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const refused = await follow('', client);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      '10',
    ]);
    held[0]?.close();
    // The service notices when the connection closes, which takes a moment.
    let status = 429;
    for (let tries = 0; tries < 20 && status === 429; tries += 1) status = (await follow('', client)).status;
    expect(status).toBe(200);
  });
});

it('takes the amounts of streams from the budget of new amounts, together with those of requests', async () => {
  const client = { 'x-forwarded-for': '198.51.100.9' };
  const { points } = rateLimitClasses.newAmounts;
  for (let n = 0; n < points; n += 1) {
    // The number of calls to an anchor per second is limited.
    now += 1_000;
    if (n % 2 === 0) {
      const stream = await follow(`?amount=${500 + n}.5`, client);
      expect(stream.status).toBe(200);
      stream.close();
    } else {
      const path = `/api/rates/usdc-ngn?amount=${500 + n}.5`;
      expect((await app.client.request('GET', path, { headers: client })).status).toBe(200);
    }
  }
  const refused = await follow('?amount=999.5', client);
  expect([refused.status, refused.body.code, refused.headers['x-ratelimit-limit']]).toEqual([
    429,
    'RATE_LIMITED',
    String(points),
  ]);
  // Known amounts and the reference amount cost nothing.
  expect((await follow('?amount=500.5', client)).status).toBe(200);
  expect((await follow('', client)).status).toBe(200);
});

async function follow(query = '', headers: Record<string, string> = {}) {
  clients += 1;
  const client = { 'x-forwarded-for': `203.0.113.${clients}` };
  const path = `/api/rates/usdc-ngn/stream${query}`;
  const stream = await openStream<RatesAnswer>(app.url, path, { headers: { ...client, ...headers } });
  open.push(stream);
  return stream;
}
