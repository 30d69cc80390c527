import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { InvalidateCacheAnswer } from '../../../contract/schemas/cache.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { startCountedCache } from '../../fixtures/cache/counted-cache.js';
import { startTestApp, type TestApp, testAdminKey, testApp, testCronSecret } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

/** How far the clock of the service is ahead. */
let aheadMs = 0;
let clients = 0;

const app = await testApp({
  env: { PUBLISHER_SECRET_KEY: '7a'.repeat(32) },
  world: { clock: () => Date.now() + aheadMs },
});
const ports = await startCountedCache(app);
afterAll(() => ports.stop());

async function post(path: string, body: object): Promise<void> {
  const authorization = `Bearer ${testCronSecret}`;
  const headers = { authorization, 'x-admin-key': testAdminKey, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${ports.port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect([path, answer.status]).toEqual([path, 200]);
}

/** Whether the request reaches the application instead of the cache. */
async function reaches(path: string): Promise<boolean> {
  const before = ports.handed();
  expect((await get(path)).status).toBe(200);
  return ports.handed() > before;
}

/** Requests the path until the answer comes from the cache, so that a later change must show. */
async function untilKept(path: string): Promise<void> {
  await waitFor(async () => expect(await reaches(path)).toBe(false), { interval: 1 });
}

describe('an answer that is kept', () => {
  it.each([
    '/api/rates/usdc-ngn',
    '/api/corridors',
    '/api/anchors',
    '/api/snapshot',
    '/api/reputation/leaderboard',
    '/v1/public/scores',
    '/api/publisher/health',
    '/api/publisher/batches',
  ])('of %s is given again without asking the application', async (path) => {
    await untilKept(path);
  });

  it('is made again by one of many who ask at the same time when its second is over', async () => {
    await untilKept('/api/corridors');
    // Where making the answer takes longer than a second, as it may on a busy machine, everyone makes it.
    await waitFor(async () => {
      await delay(1_000);
      const before = ports.handed();
      const answers = await Promise.all(Array.from({ length: 40 }, () => get('/api/corridors')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(ports.handed() - before).toBeLessThan(10);
    });
  });

  it('is no older than its freshness: max-age counts down, and stale quotes are not kept', async () => {
    const left = async () => {
      const { headers } = await get('/api/rates/usdc-ngn');
      return Number(/^private, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '')?.[1]);
    };
    await waitFor(async () => expect(await left()).toBeGreaterThan(8));
    const first = await left();
    aheadMs += 3_000;
    await delay(1_000);
    expect(await left()).toBeLessThanOrEqual(first - 3);
    aheadMs += 15_000;
    await delay(1_000);
    expect(await left()).toBe(0);
    // A refresh runs meanwhile, and its result is served as soon as it arrives.
    await waitFor(async () => expect(await left()).toBeGreaterThan(5));
  });

  it('is void after an operation that changed something, whatever it was, and not after others', async () => {
    // On a busy machine the second of the answer may be over before both operations are.
    await waitFor(async () => {
      await untilKept('/api/corridors');
      await fetch(`${app.url}/api/admin/webhooks`, { headers: { 'x-admin-key': testAdminKey } });
      await fetch(`${app.url}/api/admin/cache/invalidate`, { method: 'POST' });
      expect(await reaches('/api/corridors')).toBe(false);
    });
    for (const operation of ['/api/admin/cache/invalidate', '/api/reputation/reconcile']) {
      await untilKept('/api/corridors');
      await post(operation, {});
      expect(await reaches('/api/corridors')).toBe(true);
    }
  });

  it('is void when what it shows was written by this instance', async () => {
    const read = async (path: string) => (await get(path)).json() as Promise<Record<string, unknown>>;
    const leaderboard = '/api/reputation/leaderboard';
    const [batches, health] = ['/api/publisher/batches', '/api/publisher/health'] as const;
    await untilKept(leaderboard);
    expect(await read(leaderboard)).toMatchObject({ computedAt: null });
    await post('/api/reputation/refresh', {});
    expect(await read(leaderboard)).toMatchObject({ computedAt: expect.stringMatching(/Z$/) });
    for (const path of [batches, health]) await untilKept(path);
    expect(await read(batches)).toMatchObject({ items: [] });
    await post('/api/publisher/tick', {});
    expect(await read(batches)).toMatchObject({ items: [{ header: { sequence: 1 } }] });
    expect(await read(health)).toMatchObject({ latest: { sequence: 1 } });
  });

  it('is never one of a request without success', async () => {
    const before = ports.handed();
    for (let n = 0; n < 3; n += 1) expect((await get('/api/rates/usdc-zzz')).status).toBe(404);
    for (let n = 0; n < 3; n += 1) expect((await get('/api/corridors?limit=0')).status).toBe(400);
    expect(ports.handed() - before).toBe(6);
  });

  it('holds nothing of the client that asked first', async () => {
    aheadMs += 60_000;
    const marks = ['of-the-first-client', '203.0.113.77', 'first.example', 'first-token', 'first-cookie'];
    const first = {
      ...{ 'x-request-id': 'of-the-first-client', 'x-forwarded-for': '203.0.113.77' },
      ...{ origin: 'https://first.example', referer: 'https://first.example/page' },
      ...{ authorization: 'Bearer first-token', cookie: 'first-cookie=1', 'user-agent': 'first.example' },
    };
    for (const path of ['/api/rates/usdc-ngn', '/api/anchors', '/api/publisher/health']) {
      await waitFor(async () => {
        await (await get(path, first)).arrayBuffer();
        const before = ports.handed();
        const second = await get(path);
        const text = JSON.stringify([...second.headers]) + (await second.text());
        expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
        const limit = Number(second.headers.get('x-ratelimit-limit'));
        expect(Number(second.headers.get('x-ratelimit-remaining'))).toBe(limit - 1);
        // Otherwise no cached answer was used.
        expect(ports.handed()).toBe(before);
      });
    }
  });
});

describe('a request for what is kept', () => {
  it('is counted by its route and method', async () => {
    await untilKept('/api/corridors');
    const counted = async () => {
      const text = await (await fetch(`${app.url}/metrics`)).text();
      const lines = text.matchAll(/^fairlead_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm);
      const own = [...lines].filter(([, labels = '']) =>
        ['method="GET"', 'route="/api/corridors"', 'status="200"'].every((label) => labels.includes(label)),
      );
      return Number(own[0]?.[2] ?? 0);
    };
    const before = await waitFor(async () => {
      const value = await counted();
      expect(value).toBeGreaterThan(0);
      return value;
    });
    for (let n = 0; n < 20; n += 1) await (await get('/api/corridors')).arrayBuffer();
    await waitFor(async () => expect(await counted()).toBe(before + 20), { timeout: 3_000 });
  });

  it('counts against the limit of its client, and is refused without asking the application, as that would', async () => {
    const client = { 'x-forwarded-for': '198.51.100.66' };
    const statuses: number[] = [];
    const before = ports.handed();
    for (let n = 0; n < 70; n += 1) statuses.push((await get('/api/corridors', client)).status);
    expect(statuses).toEqual([...Array(60).fill(200), ...Array(10).fill(429)]);
    expect(ports.handed() - before).toBeLessThan(20);
    const refusalFrom = async (port: number) => {
      const refusal = await fetch(`http://127.0.0.1:${port}/api/corridors`, { headers: client });
      return [refusal.status, [...refusal.headers.keys()], Object.keys((await refusal.json()) as object)];
    };
    expect(await refusalFrom(ports.port)).toEqual(await refusalFrom(ports.barePort));
  });
});

describe('POST /api/admin/cache/invalidate', () => {
  const path = '/api/admin/cache/invalidate';
  const headers = { 'x-admin-key': testAdminKey };
  const invalidate = (body?: unknown) =>
    app.client.request<InvalidateCacheAnswer>(
      'POST',
      path,
      body === undefined ? { headers } : { headers, body },
    );

  it('200: with an empty body drops everything, and says what it did', async () => {
    await app.client.request('GET', '/api/rates/usdc-ngn?amount=123');
    const { status, body } = await invalidate();
    expect([status, body]).toMatchObject([200, { scope: 'all', corridor: null }]);
    expect(body.droppedEntries).toBeGreaterThan(0);
    expect((await invalidate({})).body.epoch).toBe(body.epoch + 1);
  });

  it('200: makes the next request ask again: here at once, elsewhere within a second', async () => {
    const other = await startTestApp({ uri: app.config.mongodbUri, simulated: app.simulated });
    const asOf = async ({ client }: TestApp) =>
      (await client.request<RatesAnswer>('GET', '/api/rates/usdc-ngn?amount=123')).body.asOf;
    const before = [await asOf(app), await asOf(other)];
    const { body } = await invalidate({ scope: 'rates', corridor: 'usdc-ngn' });
    expect(body).toMatchObject({ scope: 'rates', corridor: 'usdc-ngn' });
    expect(await asOf(app)).not.toBe(before[0]);
    await delay(1_000);
    expect(await asOf(other)).not.toBe(before[1]);
    await other.close();
  });

  it.each<[body: unknown, status: number, code: string]>([
    [{ scope: 'everything' }, 400, 'INVALID_REQUEST'],
    [{ scope: null }, 400, 'INVALID_REQUEST'],
    [{ corridor: 'USDC' }, 400, 'INVALID_REQUEST'],
    [{ corridor: { $ne: '' } }, 400, 'INVALID_REQUEST'],
    [{ other: 1 }, 400, 'INVALID_REQUEST'],
    [[], 400, 'INVALID_REQUEST'],
    [{ corridor: 'usdc-zzz' }, 422, 'UNSUPPORTED_PAIR'],
  ])('%j is %i %s', async (body, status, code) => {
    const answer = await invalidate(body);
    expect([answer.status, answer.body]).toMatchObject([status, { code }]);
    if (status === 422) expect(answer.body).toMatchObject({ details: [{ path: 'body.corridor' }] });
  });
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  clients += 1;
  const client = { 'x-forwarded-for': `10.1.${clients >> 8}.${clients & 255}` };
  return fetch(`http://127.0.0.1:${ports.port}${path}`, { headers: { ...client, ...headers } });
}
