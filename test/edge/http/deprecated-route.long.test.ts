import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deprecationHeaders } from '../../../contract/deprecation.js';
import type { RouteMetadata } from '../../../contract/describe-route.js';
import { contract } from '../../../contract/index.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { type CountedCache, startCountedCache } from '../../fixtures/cache/counted-cache.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

/** No route is deprecated today, so two are marked here before the service starts. */
const deprecated = { since: '2027-01-01', sunset: '2027-07-01' };
const routes = [contract.corridors.listCorridors, contract.adminCache.invalidateCache].map(
  ({ metadata }) => metadata as RouteMetadata,
);
const expected = {
  deprecation: '@1798761600',
  sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
  link: '</docs>; rel="deprecation"; type="text/html"',
};
const absent = { deprecation: null, sunset: null, link: null };

const database = testDatabase();
let app: TestApp;
let ports: CountedCache;

beforeAll(async () => {
  for (const metadata of routes) metadata.deprecated = deprecated;
  app = await startTestApp({ uri: database.uri });
  ports = await startCountedCache(app);
});
afterAll(async () => {
  for (const metadata of routes) delete metadata.deprecated;
  await ports.stop();
  await app.close();
});

function send(path: string, init: RequestInit & { client?: number } = {}): Promise<Response> {
  const forwarded = `10.0.0.${init.client ?? 1}`;
  return fetch(`http://127.0.0.1:${ports.port}${path}`, {
    ...init,
    headers: { 'x-forwarded-for': forwarded, ...(init.headers as Record<string, string>) },
  });
}

function shown({ headers }: Response) {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]));
}

describe('every answer of a deprecated route', () => {
  it('says since when, until when and where to read on, made by the application or kept by the response cache', async () => {
    const made = await send('/api/corridors');
    let client = 10;
    // An answer is cached for about a second: on a busy machine one of three may come too late.
    const kept = await waitFor(async () => {
      client += 1;
      await send('/api/corridors', { client });
      const before = ports.handed();
      const whole = await send('/api/corridors', { client });
      const headers = { 'if-none-match': whole.headers.get('etag') ?? '' };
      const unchanged = await send('/api/corridors', { client, headers });
      const head = await send('/api/corridors', { client, method: 'HEAD' });
      expect(ports.handed()).toBe(before);
      return [whole, unchanged, head];
    });
    expect([made, ...kept].map(({ status }) => status)).toEqual([200, 200, 304, 200]);
    for (const answer of [made, ...kept]) expect(shown(answer)).toEqual(expected);
    for (const [name, schema] of Object.entries(deprecationHeaders))
      expect(schema.safeParse(made.headers.get(name))).toMatchObject({ success: true });
  });

  it('says it on a 400, a 401 and a 415', async () => {
    const malformed = await send('/api/corridors?unknown=1');
    const body = { method: 'POST', body: 'x' };
    const unauthorized = await send('/api/admin/cache/invalidate', body);
    const headers = { 'x-admin-key': app.config.adminKeys?.[0] ?? '', 'content-type': 'text/plain' };
    const unread = await send('/api/admin/cache/invalidate', { ...body, headers });
    expect([malformed, unauthorized, unread].map(({ status }) => status)).toEqual([400, 401, 415]);
    for (const answer of [malformed, unauthorized, unread]) expect(shown(answer)).toEqual(expected);
  });

  it('says it on a 429, of the application and of the response cache', async () => {
    const answers = [];
    for (let n = 0; n <= rateLimitClasses.default.points; n += 1)
      answers.push(await send('/api/corridors', { client: 2 }));
    const refusedByCache = answers.at(-1) as Response;
    const refusedByApp = await send('/api/corridors?limit=7', { client: 2 });
    expect([refusedByCache.status, refusedByApp.status]).toEqual([429, 429]);
    for (const answer of [refusedByCache, refusedByApp]) expect(shown(answer)).toEqual(expected);
  });

  it('lets pages of other origins read the headers', async () => {
    const exposed = (await send('/api/corridors')).headers.get('access-control-expose-headers');
    expect(exposed?.split(', ')).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link', 'ETag']));
  });
});

it('leaves the answers of every other route as they are', async () => {
  const answer = await send('/api/anchors');
  expect(answer.status).toBe(200);
  expect(shown(answer)).toEqual(absent);
  expect(answer.headers.get('access-control-expose-headers')).not.toContain('Sunset');
});
