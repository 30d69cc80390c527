import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { toInstant } from '../../../server/ports.js';
import { rateSamples } from '../../fixtures/rates/rate-samples.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const samples = rateSamples(database);
const path = '/api/rates/usdc-ngn';
const quarterMs = 900_000;
let app: TestApp;
let answer: RatesAnswer;
/** The time of the first of two samples, some hours ago. */
let first: number;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  answer = (await get(path)).body;
  first = Date.now() - (Date.now() % quarterMs) - 12 * quarterMs + 4_321;
  await samples.add('usdc-ngn', [
    { at: first, text: textOf(first) },
    { at: first + quarterMs, text: textOf(first + quarterMs) },
  ]);
  await samples.add('usdc-old', [{ at: first, text: textOf(first, 'usdc-old') }]);
});
afterAll(() => app.close());

/** A layout that no answer of this version has, so that an answer that is rendered again differs. */
function textOf(at: number, corridor = 'usdc-ngn'): string {
  return JSON.stringify({ ...answer, corridor, asOf: toInstant(at) }, null, 1);
}

function get<Body = RatesAnswer>(target: string, headers: Record<string, string> = {}) {
  return app.client.request<Body>('GET', target, { headers });
}

const asOf = (at: number) => `${path}?asOf=${toInstant(at)}`;

async function bytesAt(at: number, headers: Record<string, string> = {}): Promise<string> {
  return (await fetch(app.url + asOf(at), { headers })).text();
}

describe('200', () => {
  it('gives the latest sample at or before the instant, byte for byte', async () => {
    const expected = [
      [first, first],
      [first + 1, first],
      [first + quarterMs - 1, first],
      [first + quarterMs, first + quarterMs],
      [first + 2 * quarterMs, first + quarterMs],
    ] as const;
    for (const [instant, sample] of expected) expect(await bytesAt(instant)).toBe(textOf(sample));
    expect((await get(asOf(first))).status).toBe(200);
  });

  it('gives the same bytes with the response cache and without it, compressed and plain', async () => {
    for (const _again of [1, 2]) {
      const { headers, body } = await fetch(app.url + asOf(first), {
        headers: { 'accept-encoding': 'br' },
      }).then(async (response) => ({ headers: response.headers, body: await response.text() }));
      expect(headers.get('content-encoding')).toBe('br');
      expect(body).toBe(textOf(first));
    }
  });

  it('has the ETag that the live answer had, and is fresh for a day', async () => {
    const live = await get(path);
    const now = Date.now();
    await samples.clear();
    await samples.add('usdc-ngn', [{ at: now - quarterMs, text: JSON.stringify(live.body) }]);
    const past = await get(asOf(now - quarterMs));
    expect(past.headers.get('etag')).toBe(live.headers.get('etag'));
    expect(past.headers.get('cache-control')).toBe('private, max-age=86400');
    const etag = past.headers.get('etag') ?? '';
    expect((await get(asOf(now - quarterMs), { 'if-none-match': etag })).status).toBe(304);
    expect((await get(asOf(now - 1_000))).headers.get('cache-control')).toBe('private, max-age=15');
    await samples.clear();
    await samples.add('usdc-old', [{ at: first, text: textOf(first, 'usdc-old') }]);
    await samples.add('usdc-ngn', [{ at: first, text: textOf(first) }]);
  });

  it('reads an instant with an offset', async () => {
    const withOffset = toInstant(first + 3_600_000).replace('Z', '%2B01:00');
    expect((await get(`${path}?asOf=${withOffset}`)).body.asOf).toBe(toInstant(first));
  });

  it('keeps the samples of a corridor that has left the fleet readable', async () => {
    const { status, body } = await get(`/api/rates/USDC-OLD?asOf=${toInstant(first)}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { corridor: 'usdc-old' } });
  });

  it('counts like any other request for rates', async () => {
    const client = { 'x-forwarded-for': '198.51.100.77' };
    const remaining = [await get(path, client), await get(asOf(first), client)].map(({ headers }) =>
      headers.get('x-ratelimit-remaining'),
    );
    expect(remaining).toEqual(['89', '88']);
  });
});

describe('400', () => {
  it.each([
    'asOf=',
    'asOf=yesterday',
    'asOf=2026-11-21',
    'asOf=2026-11-31T09:30:00Z',
    'asOf=1795342505000',
    'asOf=2026-11-21T09:30:00Z&asOf=2026-11-21T09:30:00Z',
  ])('for ?%s', async (query) => {
    const { status, body } = await get<object>(`${path}?${query}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', details: [{ path: 'query.asOf' }] },
    });
  });

  it('for an instant of the future', async () => {
    const { status, body } = await get<object>(asOf(Date.now() + 60_000));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { details: [{ path: 'query.asOf', message: 'must not be in the future' }] },
    });
  });

  it.each(['amount=100', 'receive=150000', 'deliveryMethod=cash', 'sort=best'])(
    'for ?asOf= beside %s, since samples are of the reference amount',
    async (other) => {
      const { status, body } = await get<{ details: { path: string }[] }>(`${asOf(first)}&${other}`);
      expect(status).toBe(400);
      expect(body.details[0]?.path).toBe(`query.${other.split('=')[0]}`);
    },
  );
});

describe('404', () => {
  it('for an instant before the first sample', async () => {
    const { status, body } = await get<object>(asOf(first - 1));
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'UNKNOWN_SAMPLE' } });
  });

  it('for a corridor that is not served and has no samples', async () => {
    const { status, body } = await get<object>(`/api/rates/usdc-zzz?asOf=${toInstant(first)}`);
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'UNKNOWN_CORRIDOR' } });
  });
});
