import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'undici';
import { errorTable } from '../../../contract/errors.js';
import { contract } from '../../../contract/index.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { startTestApp, type TestApp, testAdminKey, testCronSecret } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed } from '../../support/seeded.js';
import { waitFor } from '../../support/wait-for.js';

const requests = 10_000;
const inFlight = 16;
const seed = runSeed();

const database = testDatabase();
let app: TestApp;
let pool: Pool;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  app = await startTestApp({ uri: database.uri });
  pool = new Pool(app.url, { connections: inFlight });
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await pool.close();
  await app.close();
});

const nasty = fc.constantFrom(
  ...'0 -1 1e3 NaN Infinity 💥 ../.. $ne {"$gt":""} [] __proto__ constructor usdc-ngn true null'.split(' '),
  ...'undefined 1;drop <script> % %2e%2e {{7*7}}'.split(' '),
  ...['9'.repeat(40), '', ' ', '\u0000'],
);
const text = fc.oneof(nasty, fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 20 }));
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(text, tie('node'), { maxKeys: 4 }),
  ),
})).node;

const routes = listRoutes(contract);
const path = fc
  .tuple(fc.constantFrom(...routes), fc.array(text, { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([route, values, hostile]) => {
    let next = 0;
    return route.path.replace(/:[A-Za-z]+/g, () => {
      const chosen = hostile ? (values[next % values.length] ?? '') : 'usdc-ngn';
      next += 1;
      return encode(chosen);
    });
  });
const named = (names: string) => fc.constantFrom(...names.split(' '));
const query = fc
  .array(fc.tuple(named('amount limit cursor window corridor deliveryMethod status a[b]'), text), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([key, each]) => `${key}=${encode(each)}`).join('&'));
const members =
  'corridor anchorId account sellAmount nonce id action url events scope publicKey signature intentHash';
const body = fc.oneof(
  fc.constant(undefined),
  text,
  fc.oneof(value, fc.dictionary(named(`${members} reason`), value)).map((each) => JSON.stringify(each)),
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
    // A stream does not end, so it is requested by HEAD, which runs the same checks.
  })
  .map((each) =>
    each.path.endsWith('/stream') && each.method === 'GET' ? { ...each, method: 'HEAD' } : each,
  );

/** The text without lone surrogates, which UTF-8 cannot encode. */
const wellFormed = (each: string) => Buffer.from(each, 'utf8').toString('utf8');
function encode(each: string): string {
  return encodeURIComponent(wellFormed(each));
}

type Sample = typeof request extends fc.Arbitrary<infer T> ? T : never;

it(`${requests} hostile requests get answers in the common shape, without a 5xx or an unhandled rejection`, async () => {
  const samples = [...fc.sample(request, { numRuns: requests, seed }).entries()];
  const statuses = new Map<number, number>();
  const unavailable: [number, Sample][] = [];
  const waiting = samples.values();
  const worker = async () => {
    for (const [index, sample] of waiting) {
      const status = await attack(sample, index);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 503) unavailable.push([index, sample]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
  // The samples must have passed the first checks, or they prove little.
  for (const status of [200, 400, 401, 404, 405, 415])
    expectFor(String(status), statuses.get(status) ?? 0).toBeGreaterThan(50);
  // A busy machine may keep the database or the anchors from answering in time; the request itself must not.
  for (const [index, sample] of unavailable.filter(([, each]) => !mayLackRates(each)))
    await waitFor(async () => expectFor(shown(sample), await attack(sample, index)).not.toBe(503), {
      timeout: 30_000,
      interval: 1_000,
    });
  expect(unhandled).toEqual([]);
}, 240_000);

const shown = ({ method, path, query, body = '' }: Sample) =>
  `${method} ${path}?${query} ${body.slice(0, 200)}`;
/** Rates answer 503 for as long as no anchor answers. */
const mayLackRates = ({ method, path }: Sample) =>
  ['GET', 'HEAD'].includes(method) && /^\/api\/rates\/[^/]+$/.test(path);

/** Resolves to the status: one that the document knows, with its error in the common shape, and no 5xx but 503. */
async function attack(sample: Sample, index: number): Promise<number> {
  const { method, path, query, body = '', contentType, credential } = sample;
  const hasBody = body !== '' && !['GET', 'HEAD'].includes(method);
  const answer = await pool.request({
    method: method as 'GET',
    path: `${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      'x-forwarded-for': `198.18.${index >> 8}.${index & 255}`,
      ...(hasBody ? { 'content-type': contentType } : {}),
      ...(credential ? { 'x-admin-key': testAdminKey, authorization: `Bearer ${testCronSecret}` } : {}),
    },
    ...(hasBody ? { body: wellFormed(body) } : {}),
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
