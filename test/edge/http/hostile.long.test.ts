import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'undici';
import { errorTable } from '../../../contract/errors.js';
import { contract } from '../../../contract/index.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { startTestApp, type TestApp, testAdminKey, testCronSecret } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed } from '../../support/seeded.js';

const requests = 10_000;
const inFlight = 32;
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
  ...[
    '0',
    '-1',
    '1e3',
    'NaN',
    'Infinity',
    '9'.repeat(40),
    '',
    ' ',
    '\u0000',
    '💥',
    '../..',
    '$ne',
    '{"$gt":""}',
    '[]',
  ],
  ...[
    '__proto__',
    'constructor',
    'usdc-ngn',
    'true',
    'null',
    'undefined',
    '1;drop',
    '<script>',
    '%',
    '%2e%2e',
    '{{7*7}}',
  ],
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
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('amount', 'limit', 'cursor', 'window', 'corridor', 'deliveryMethod', 'status', 'a[b]'),
      text,
    ),
    {
      maxLength: 3,
    },
  )
  .map((pairs) => pairs.map(([key, each]) => `${key}=${encode(each)}`).join('&'));
const body = fc.oneof(
  fc.constant(undefined),
  value.map((each) => JSON.stringify(each)),
  text,
  fc
    .dictionary(
      fc.constantFrom(
        'corridor',
        'anchorId',
        'account',
        'sellAmount',
        'nonce',
        'id',
        'action',
        'url',
        'events',
        'scope',
        'publicKey',
        'signature',
        'intentHash',
        'reason',
      ),
      value,
    )
    .map((each) => JSON.stringify(each)),
);
const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT'),
    path,
    query,
    body,
    contentType: fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/xml',
    ),
    credential: fc.boolean(),
    // A stream does not end, so it is requested by HEAD, which runs the same checks.
  })
  .map((each) =>
    each.path.endsWith('/stream') && each.method === 'GET' ? { ...each, method: 'HEAD' } : each,
  );

function encode(each: string): string {
  return encodeURIComponent(wellFormed(each));
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
function wellFormed(each: string): string {
  return Buffer.from(each, 'utf8').toString('utf8');
}

describe('hostile requests', () => {
  it(`get ${requests} answers in the common shape, without a 5xx or an unhandled rejection`, async () => {
    const samples = fc.sample(request, { numRuns: requests, seed });
    const statuses = new Map<number, number>();
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < samples.length; index = next++) {
        const sample = samples[index];
        if (sample === undefined) return;
        const status = await attack(sample, index);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
    // The samples must have passed the first checks, or they prove little.
    for (const status of [200, 400, 401, 404, 405, 415])
      expectFor(String(status), statuses.get(status) ?? 0).toBeGreaterThan(50);
    expect(unhandled).toEqual([]);
  }, 240_000);
});

async function attack(
  sample: typeof request extends fc.Arbitrary<infer T> ? T : never,
  index: number,
): Promise<number> {
  const hasBody = sample.body !== undefined && sample.body !== '' && !['GET', 'HEAD'].includes(sample.method);
  const answer = await pool.request({
    method: sample.method as 'GET',
    path: `${sample.path}${sample.query === '' ? '' : `?${sample.query}`}`,
    headers: {
      'x-forwarded-for': `198.18.${index >> 8}.${index & 255}`,
      ...(hasBody ? { 'content-type': sample.contentType } : {}),
      ...(sample.credential
        ? { 'x-admin-key': testAdminKey, authorization: `Bearer ${testCronSecret}` }
        : {}),
    },
    ...(hasBody ? { body: wellFormed(sample.body ?? '') } : {}),
  });
  const received = await answer.body.text();
  const shown = `${sample.method} ${sample.path}?${sample.query} ${sample.body?.slice(0, 200)} → ${received.slice(0, 300)}`;
  if (answer.statusCode >= 500) {
    // Rates answer 503 while no anchor answers; any other 5xx is a fault of the service.
    const asksForRates = ['GET', 'HEAD'].includes(sample.method) && /^\/api\/rates\/[^/]+$/.test(sample.path);
    expectFor(shown, [answer.statusCode, asksForRates]).toEqual([503, true]);
    expectFor(shown, Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    if (sample.method === 'GET')
      expectFor(shown, JSON.parse(received)).toMatchObject({ code: 'RATES_UNAVAILABLE' });
  }
  if (answer.statusCode >= 400 && sample.method !== 'HEAD') {
    const parsed = JSON.parse(received) as { code: keyof typeof errorTable; message: string };
    expectFor(shown, errorTable[parsed.code]?.status).toBe(answer.statusCode);
    expectFor(shown, typeof parsed.message).toBe('string');
  }
  return answer.statusCode;
}
