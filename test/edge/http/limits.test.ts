import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contract } from '../../../contract/index.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

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

const { rates, default: usual } = rateLimitClasses;
describe.each([
  ['rates', '/api/rates/usdc-ngn', rates.points],
  ['default', '/api/corridors', usual.points],
])('the class %s', (_name, path, limit) => {
  it(`grants a client ${limit} requests in one window and answers the next with the documented 429`, async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const answers = await drain(path, limit + 1, '198.51.100.1');
    // Where the anchors of a busy machine are late, a request that was granted is a 503.
    expect(answers.map(({ status }) => status === 429)).toEqual([...Array(limit).fill(false), true]);
    const remaining = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
    expect(remaining).toEqual([...Array(limit).keys(), 0].sort((a, b) => b - a));
    for (const answer of answers) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThanOrEqual(startedAt);
      expect(reset).toBeLessThanOrEqual(Date.now() / 1000 + 61);
    }
    const refused = answers[limit];
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

describe('another instance', () => {
  async function besides(env: Record<string, string>, use: (other: TestApp) => Promise<void>): Promise<void> {
    const other = await startTestApp({ uri: database.uri, simulated: app.simulated, env });
    await use(other).finally(other.close);
  }

  it('on the same database shares the limit of the first: both together grant it once', async () => {
    await besides({}, async (second) => {
      const { points } = rateLimitClasses.default;
      const statuses: number[] = [];
      for (let n = 0; n < points; n += 1)
        for (const { client } of [app, second])
          statuses.push((await client.request('GET', '/api/corridors', from('198.51.100.6'))).status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(points);
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

  it('of two families counts two IPv4 clients separately, whose addresses arrive as IPv4-mapped IPv6', async () => {
    await besides({ HOST: '::', TRUST_PROXY: '' }, async ({ port }) => {
      for (const [localAddress, requests] of [
        ['127.0.0.1', 1],
        ['127.0.0.1', 2],
        ['127.0.0.2', 1],
      ] as const) {
        const asked = get({ host: '127.0.0.1', port, path: '/api/snapshot', localAddress, agent: false });
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        answer.resume();
        expect(answer.headers['x-ratelimit-remaining']).toBe(defaultLess(requests));
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
