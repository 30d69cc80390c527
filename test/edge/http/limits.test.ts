import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

/** The default limit, less the requests made. */
const defaultLess = (requests: number) => String(rateLimitClasses.default.points - requests);

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

async function drain(path: string, times: number, address: string) {
  const answers = [];
  for (let n = 0; n < times; n += 1) answers.push(await app.client.request('GET', path, from(address)));
  return answers;
}

describe.each([
  { name: 'the rates class', path: '/api/rates/usdc-ngn', limit: rateLimitClasses.rates.points },
  { name: 'the default class', path: '/api/corridors', limit: rateLimitClasses.default.points },
])('$name', ({ path, limit }) => {
  it(`grants a client ${limit} requests in one window and answers the next with the documented 429`, async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const answers = await drain(path, limit + 1, '198.51.100.1');
    expect(answers.slice(0, limit).map((answer) => answer.status)).toEqual(Array(limit).fill(200));
    const remaining = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
    expect(remaining).toEqual([...Array(limit).keys(), 0].sort((a, b) => b - a));
    for (const answer of answers) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThanOrEqual(startedAt);
      expect(reset).toBeLessThanOrEqual(Date.now() / 1000 + 61);
    }
    const refused = answers[limit];
    expect(refused?.status).toBe(429);
    const retryAfter = Number(refused?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused?.body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
    expect(refused?.headers.get('cache-control')).toBe('no-store');
  });

  it('counts each client separately', async () => {
    const [answer] = await drain(path, 1, '198.51.100.2');
    expect(answer?.headers.get('x-ratelimit-remaining')).toBe(String(limit - 1));
  });
});

describe('a client', () => {
  it('is one IPv6 /64: two addresses of it share a count, an address of another /64 has its own', async () => {
    await drain('/api/anchors', 1, '2001:db8:1:1::1');
    const [same] = await drain('/api/anchors', 1, '2001:db8:1:1:ffff::2');
    const [other] = await drain('/api/anchors', 1, '2001:db8:1:2::1');
    expect(same?.headers.get('x-ratelimit-remaining')).toBe(defaultLess(2));
    expect(other?.headers.get('x-ratelimit-remaining')).toBe(defaultLess(1));
  });

  it('is counted on HEAD as on GET, and never on OPTIONS', async () => {
    const address = '198.51.100.3';
    await app.client.request('GET', '/api/corridors', from(address));
    await app.client.request('HEAD', '/api/corridors', from(address));
    for (let n = 0; n < 5; n += 1) await app.client.request('OPTIONS', '/api/corridors', from(address));
    const last = await app.client.request('GET', '/api/corridors', from(address));
    expect(last.headers.get('x-ratelimit-remaining')).toBe(defaultLess(3));
  });

  it('has one count for unknown paths and wrong methods together', async () => {
    const address = '198.51.100.4';
    await app.client.request('GET', '/nowhere', from(address));
    await app.client.request('DELETE', '/api/corridors', from(address));
    const last = await app.client.request('GET', '/elsewhere', from(address));
    expect(last.status).toBe(404);
    expect(last.headers.get('x-ratelimit-remaining')).toBe(defaultLess(3));
  });

  it('uses a point also when its credential is refused', async () => {
    const address = '198.51.100.5';
    const answer = await app.client.request('POST', '/api/admin/cache/invalidate', from(address));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(defaultLess(1));
  });
});

describe('a second instance on the same database', () => {
  it('shares the limit of the first: both together grant it once', async () => {
    const second = await startTestApp({ uri: database.uri, simulated: app.simulated });
    const address = '198.51.100.6';
    const { points } = rateLimitClasses.default;
    let granted = 0;
    for (let n = 0; n < points; n += 1)
      for (const { client } of [app, second]) {
        const { status } = await client.request('GET', '/api/corridors', from(address));
        if (status === 200) granted += 1;
      }
    expect(granted).toBe(points);
    await second.close();
  });
});

describe('without a trusted proxy', () => {
  it('a forged X-Forwarded-For does not select another counter', async () => {
    const direct = await startTestApp({
      uri: database.uri,
      simulated: app.simulated,
      env: { TRUST_PROXY: '203.0.113.0/24' },
    });
    const remaining = [];
    for (const address of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      const answer = await direct.client.request('GET', '/api/corridors', from(address));
      remaining.push(answer.headers.get('x-ratelimit-remaining'));
    }
    expect(remaining).toEqual([1, 2, 3].map(defaultLess));
    await direct.close();
  });
});

describe('a dual-stack listener', () => {
  it('counts two IPv4 clients separately, whose addresses arrive as IPv4-mapped IPv6', async () => {
    const dual = await startTestApp({
      uri: database.uri,
      simulated: app.simulated,
      env: { HOST: '::', TRUST_PROXY: '' },
    });
    const ask = (localAddress: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        const url = `http://127.0.0.1:${dual.port}/api/snapshot`;
        get(url, { localAddress, agent: false }, (answer) => {
          answer.resume();
          resolve(String(answer.headers['x-ratelimit-remaining']));
        }).on('error', reject);
      });
    const remaining = [await ask('127.0.0.1'), await ask('127.0.0.1'), await ask('127.0.0.2')];
    expect(remaining).toEqual([1, 2, 1].map(defaultLess));
    await dual.close();
  });
});
