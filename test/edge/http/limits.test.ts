import { describe, expect, it } from '@jest/globals';
import { contract } from '../../../contract/index.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { newClient } from '../../fixtures/new-client.js';
import { startTestApp, type TestApp, testApp } from '../../support/app.js';
import { expectFor } from '../../support/expect-for.js';

const app = await testApp();

/** The default limit, less the requests made. */
const defaultLess = (requests: number) => String(rateLimitClasses.default.points - requests);

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

/** This many requests at once. */
const drain = (path: string, times: number, address: string) =>
  Promise.all(Array.from({ length: times }, () => app.client.request('GET', path, from(address))));

const { rates, default: usual } = rateLimitClasses;
describe.each([
  ['rates', '/api/rates/usdc-ngn', rates.points],
  ['default', '/api/corridors', usual.points],
])('the class %s', (_name, path, limit) => {
  it(`grants a client ${limit} requests in one window and answers the next with the documented 429`, async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const answers = await drain(path, limit, '198.51.100.1');
    const [refused] = await drain(path, 1, '198.51.100.1');
    // Where the anchors of a busy machine are late, a request that was granted is a 503.
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
    expect(refused?.status).toBe(429);
    const remaining = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual([...Array(limit).keys()]);
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0');
    for (const answer of answers) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThanOrEqual(startedAt);
      expect(reset).toBeLessThanOrEqual(Date.now() / 1000 + 61);
    }
    const retryAfter = Number(refused?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused?.body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
    expect(refused?.headers.get('cache-control')).toBe('no-store');
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

  it.each([
    ['is counted on HEAD as on GET', 2, 'HEAD /api/corridors, GET /api/corridors'],
    ['is not counted on OPTIONS', 1, 'OPTIONS /api/corridors, OPTIONS /api/corridors, GET /api/corridors'],
    ['has one count for unknown paths and wrong methods', 3, 'GET /a, DELETE /api/corridors, GET /b'],
    ['uses a point also when its credential is refused', 1, 'POST /api/admin/cache/invalidate'],
  ])('%s', async (_what, used, requests) => {
    const headers = newClient();
    let remaining: string | null = null;
    for (const [method = '', path = ''] of requests.split(', ').map((each) => each.split(' ')))
      remaining = (await app.client.request(method, path, { headers })).headers.get('x-ratelimit-remaining');
    expect(remaining).toBe(defaultLess(used));
  });
});

describe('another instance', () => {
  async function besides(env: Record<string, string>, use: (other: TestApp) => Promise<void>): Promise<void> {
    const other = await startTestApp({ uri: app.config.mongodbUri, simulated: app.simulated, env });
    await use(other).finally(other.close);
  }

  it('on the same database shares the limit of the first: both together grant it once', async () => {
    await besides({}, async (second) => {
      const { points } = rateLimitClasses.default;
      const asked = Array.from({ length: points }, () => [app, second]).flat();
      const ask = ({ client }: TestApp) => client.request('GET', '/api/corridors', from('198.51.100.6'));
      const answers = await Promise.all(asked.map(ask));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(points);
    });
  });

  it('without a trusted proxy lets no forged X-Forwarded-For select another counter', async () => {
    await besides({ TRUST_PROXY: '203.0.113.0/24' }, async ({ client }) => {
      for (const [n, address] of ['1.1.1.1', '2.2.2.2', '3.3.3.3'].entries()) {
        const { headers } = await client.request('GET', '/api/corridors', from(address));
        expect(headers.get('x-ratelimit-remaining')).toBe(defaultLess(n + 1));
      }
    });
  });
});

it('every operation has the limit of its class for each client, whatever it answers', async () => {
  for (const [nth, { method, path, metadata }] of listRoutes(contract).entries()) {
    const target = path.replaceAll(/:\w+/g, 'usdc-ngn');
    // A stream does not end.
    const sent = metadata.stream === undefined ? method : 'HEAD';
    const { headers } = await app.client.request(sent, target, from(`198.51.100.${50 + nth}`));
    const { key, points } = rateLimitClasses[metadata.limit];
    const limit = key === 'client' ? points : rateLimitClasses.default.points;
    expectFor(metadata.operationId, headers.get('x-ratelimit-limit')).toBe(String(limit));
  }
});
