import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'undici';
import { errorTable } from '../../../contract/errors.js';
import { contract } from '../../../contract/index.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { edgeFixture } from '../../fixtures/edge/raw-requests.js';
import { newClient } from '../../fixtures/new-client.js';
import { testAdminKey, testCronSecret } from '../../support/app.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed } from '../../support/seeded.js';
import { waitFor } from '../../support/wait-for.js';

const requests = 10_000;
const inFlight = 16;
const seed = runSeed();

const fixture = await edgeFixture();
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

process.on('unhandledRejection', note);
const pool = new Pool(fixture.app.url, { connections: inFlight });
afterAll(async () => {
  process.off('unhandledRejection', note);
  await pool.close();
});

const nasty = fc.constantFrom(
  ...'0 -1 1e3 NaN Infinity 💥 ../.. $ne {"$gt":""} [] __proto__ constructor usdc-ngn true null'.split(' '),
  ...'undefined 1;drop <script> % %2e%2e {{7*7}}'.split(' '),
  ...['9'.repeat(40), '', ' ', '\u0000'],
);
const text = fc
  .oneof(nasty, fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 20 }))
  // Without lone surrogates, which UTF-8 cannot encode.
  .map((each) => Buffer.from(each, 'utf8').toString('utf8'));
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 4 }));
const named = (names: string) => fc.constantFrom(...names.split(' '));
const encode = encodeURIComponent;

const path = fc
  .tuple(
    fc.constantFrom(...listRoutes(contract)),
    fc.array(text, { minLength: 4, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([route, values, hostile]) => {
    let next = 0;
    return route.path.replace(/:[A-Za-z]+/g, () => (hostile ? encode(values[next++ % 4] ?? '') : 'usdc-ngn'));
  });
const parameter = named('amount limit cursor window corridor deliveryMethod status a[b]');
const query = fc
  .array(fc.tuple(parameter, text), { maxLength: 3 })
  .map((pairs) => pairs.map(([key, each]) => `${key}=${encode(each)}`).join('&'));
const members =
  'corridor anchorId account sellAmount nonce id action url events scope publicKey signature intentHash reason';
const body = fc.oneof(
  fc.constant(''),
  text,
  fc.oneof(value, fc.dictionary(named(members), value)).map((each) => JSON.stringify(each)),
);
const json = 'application/json';
const request = fc
  .record({
    method: named('GET POST PATCH DELETE HEAD PUT'),
    path,
    query,
    body,
    contentType: fc.constantFrom(json, `${json}; charset=utf-8`, 'text/plain', 'application/xml'),
    credential: fc.boolean(),
  })
  // A stream does not end, so it is requested by HEAD, which runs the same checks.
  .map((each) => (/\/stream$/.test(each.path) && each.method === 'GET' ? { ...each, method: 'HEAD' } : each));
type Sample = typeof request extends fc.Arbitrary<infer T> ? T : never;

it(`${requests} hostile requests get answers in the common shape, without a 5xx or an unhandled rejection`, async () => {
  const statuses = new Map<number, number>();
  const unavailable: Sample[] = [];
  const waiting = fc.sample(request, { numRuns: requests, seed }).values();
  const worker = async () => {
    for (const sample of waiting) {
      const status = await attack(sample);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 503) unavailable.push(sample);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  // The samples must have passed the first checks, or they prove little.
  for (const status of [200, 400, 401, 404, 405, 415])
    expectFor(String(status), statuses.get(status) ?? 0).toBeGreaterThan(50);
  // A busy machine may keep the database or the anchors from answering in time; the request itself must not.
  for (const sample of unavailable.filter((each) => !mayLackRates(each)))
    await waitFor(async () => expectFor(shown(sample), await attack(sample)).not.toBe(503), {
      timeout: 30_000,
      interval: 1_000,
    });
  expect(unhandled).toEqual([]);
}, 480_000);

const shown = ({ method, path, query, body }: Sample) => `${method} ${path}?${query} ${body.slice(0, 200)}`;
/** Rates answer 503 for as long as no anchor answers. */
const mayLackRates = ({ method, path }: Sample) =>
  ['GET', 'HEAD'].includes(method) && /^\/api\/rates\/[^/]+$/.test(path);

/** Resolves to the status: one that the document knows, with its error in the common shape, and no 5xx but 503. */
async function attack(sample: Sample): Promise<number> {
  const { method, path, query, body, contentType, credential } = sample;
  const hasBody = body !== '' && !['GET', 'HEAD'].includes(method);
  const answer = await pool.request({
    // A kept connection may be closed at the moment of its reuse.
    reset: true,
    method: method as 'GET',
    path: `${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...newClient(),
      ...(hasBody ? { 'content-type': contentType } : {}),
      ...(credential ? { 'x-admin-key': testAdminKey, authorization: `Bearer ${testCronSecret}` } : {}),
    },
    ...(hasBody ? { body } : {}),
  });
  const { statusCode: status, headers } = answer;
  const received = await answer.body.text();
  const about = `${shown(sample)} → ${received.slice(0, 300)}`;
  if (status >= 500) {
    expectFor(about, status).toBe(503);
    expectFor(about, Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  if (status >= 400 && method !== 'HEAD') {
    const parsed = JSON.parse(received) as { code: keyof typeof errorTable; message: string };
    expectFor(about, errorTable[parsed.code]?.status).toBe(status);
    expectFor(about, typeof parsed.message).toBe('string');
  }
  return status;
}
