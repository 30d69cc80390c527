import { describe, expect, it } from '@jest/globals';
import type { ErrorDetail } from '../../../contract/errors.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { exampleBody } from '../../../scripts/openapi/answers.js';
import { edgeFixture, invalidate, json } from '../../fixtures/edge/raw-requests.js';
import { startTestApp, testAdminKey } from '../../support/app.js';

const fixture = await edgeFixture();
const { send, raw } = fixture;

/** The bytes of a request with these lines below its first one, which has HTTP/1.1 unless it says otherwise. */
const bytes = (first: string, lines: readonly string[] = ['Host: x'], body = '') =>
  [/ HTTP\/\d/.test(first) ? first : `${first} HTTP/1.1`, ...lines, '', body].join('\r\n');
const posted = (lines: readonly string[], body = '') =>
  bytes(`POST ${invalidate}`, ['Host: x', `X-Admin-Key: ${testAdminKey}`, ...lines], body);
const [ofJson, chunked] = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const served = /^HTTP\/1\.1 200 /;

function expectRefused(answer: string, status: number, code: string): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
  expect(answer).toContain(`"code":"${code}"`);
}

it('every answer has a request id, which is the one the client sent if that is harmless', async () => {
  const idFor = async (headers: Record<string, string>) =>
    (await send('GET', '/api/corridors', { headers })).headers.get('x-request-id');
  for (const headers of [{}, { 'x-request-id': 'short' }])
    expect(await idFor(headers as Record<string, string>)).toMatch(/^[0-9a-f]{32}$/);
  expect(await idFor({ 'x-request-id': 'trace.me_0001' })).toBe('trace.me_0001');
});

describe('404 and 405', () => {
  it.each(['/api/nothing', '/api/corridors/', '/API/corridors', '//api/corridors'])(
    'are not avoided by guessing: %s is 404 in the common shape',
    async (path) => {
      const { status, body } = await send('GET', path);
      expect([status, body]).toEqual([404, { code: 'NOT_FOUND', message: expect.any(String) }]);
    },
  );

  const read = ['/api/corridors', '/openapi.json', '/openapi.client.json', '/llms.txt', '/docs/rates.md'];
  const own = ['/healthz', '/readyz', '/metrics', '/docs'];
  it.each([...read.map((path) => [path, '*']), ...own.map((path) => [path, null])] as [
    string,
    string | null,
  ][])(
    'list the methods of %s in Allow, which is read-only, and open to pages of the origins %j',
    async (path, origins) => {
      const ask = (method: string) => fetch(`${fixture.app.url}${path}`, { method });
      const answer = await ask('POST');
      const refusal = { code: 'METHOD_NOT_ALLOWED', message: expect.any(String) };
      expect([answer.status, await answer.json()]).toEqual([405, refusal]);
      const options = await ask('OPTIONS');
      expect(options.status).toBe(204);
      for (const { headers } of [answer, options]) expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect((await ask('GET')).headers.get('access-control-allow-origin')).toBe(origins);
    },
  );
});

describe('a request target', () => {
  it('over 2 KB is 414', async () => {
    const { body } = await send('GET', `/api/rates/usdc-ngn?amount=${'1'.repeat(2_048)}`);
    expect(body).toMatchObject({ code: 'URI_TOO_LONG' });
  });

  it.each(['/api/rates/%E0%A4%A', '/api/rates/usdc-ngn?amount=%ff', '/%'])(
    'with bad percent-encoding is 400, and counted: %s',
    async (path) => {
      const { status, headers, body } = await send('GET', path);
      const details = [{ path: 'path', message: 'must be validly percent-encoded UTF-8' }];
      const refusal = { code: 'INVALID_REQUEST', message: expect.any(String), details };
      expect([status, body]).toEqual([400, refusal]);
      expect(headers.get('x-ratelimit-remaining')).toBe(String(rateLimitClasses.default.points - 1));
      expect(headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  it.each([
    ['x://y', '/'],
    ['http://', '/'],
    ['http://?a', '/'],
    ['http://elsewhere.example/api/corridors?limit=1', '/api/corridors?limit=1'],
  ])('in absolute form is answered as its path is: %s', async (target, path) => {
    const ask = (first: string) => raw(bytes(first, ['Host: x', 'Connection: close']));
    const statusOf = (answer: string) => /^HTTP\/1\.1 \d+/.exec(answer)?.[0];
    const answer = await ask(`GET ${target}`);
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
    expect(statusOf(answer)).toBe(statusOf(await ask(`GET ${path}`)));
    expect(await ask(`POST ${target}`)).toContain('"code":"METHOD_NOT_ALLOWED"');
  });
});

describe('bytes that no well-behaved client sends', () => {
  const large = ['Content-Length: 10000000'];
  const ofText = 'Content-Type: text/plain';
  const framed = (lines: string[], body: string) =>
    bytes('POST /api/intent/offramp', ['Host: x', ...lines], body);
  const twoBytes = '2\r\n{}\r\n0\r\n\r\n';
  const notUtf8 = Buffer.from(posted([ofJson, 'Content-Length: 13'], '{"scope":"\xff"}'), 'latin1');

  it.each<[what: string, sent: string | Buffer, status: number, code: string]>([
    ['no Host', bytes('GET /api/corridors', []), 400, 'INVALID_REQUEST'],
    ['a line that is not HTTP', 'nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['CONNECT', bytes('CONNECT example.org:443'), 405, 'METHOD_NOT_ALLOWED'],
    ['a long header', bytes('GET /', ['Host: x', `X: ${'a'.repeat(9_000)}`]), 431, 'HEADERS_TOO_LARGE'],
    ['two lengths', framed(['Content-Length: 2', 'Content-Length: 2'], '{}'), 400, 'INVALID_REQUEST'],
    ['a list of lengths', framed(['Content-Length: 2, 2'], '{}'), 400, 'INVALID_REQUEST'],
    ['length and chunks', framed(['Content-Length: 2', chunked], twoBytes), 400, 'INVALID_REQUEST'],
    ['two codings', framed([chunked, chunked], twoBytes), 400, 'INVALID_REQUEST'],
    ['a body declared too large', posted([ofJson, ...large]), 413, 'PAYLOAD_TOO_LARGE'],
    ['the question', posted([ofJson, 'Expect: 100-continue', ...large]), 413, 'PAYLOAD_TOO_LARGE'],
    ['a body that is not UTF-8', notUtf8, 400, 'MALFORMED_JSON'],
    ['a text in chunks', posted([ofText, chunked], twoBytes), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a malformed chunk', posted([ofJson, chunked], 'ZZ\r\n{}\r\n'), 400, 'INVALID_REQUEST'],
  ])(
    'are refused in the common shape, without an error in the log: %s',
    async (_what, sent, status, code) => {
      const before = fixture.errors.length;
      const answer = await raw(sent);
      expectRefused(answer, status, code);
      if (status === 431) expect(answer).toContain(JSON.stringify(exampleBody('HEADERS_TOO_LARGE')));
      // A 405 requires Allow (RFC 9110, section 15.5.6); an empty one names no method.
      expect(answer.includes('\r\nAllow:\r\n')).toBe(status === 405);
      if (status === 413) expect(answer).toMatch(/\r\nConnection: close\r\n/);
      expect(fixture.errors.slice(before)).toEqual([]);
    },
  );

  const get = (...lines: string[]) => bytes('GET /api/corridors', lines);
  it.each([
    ['an unknown Expect header', get('Host: x', 'Expect: a-miracle')],
    ['a port in Host', get('Host: x:8080')],
    ['an IPv6 address in Host', get('Host: [::1]:8080')],
    ['an empty Host', get('Host: ')],
    ['a GET with a body', `${get('Host: x', 'Content-Type: text/plain', 'Content-Length: 3')}abc`],
    ['a chunked and empty body', posted([ofJson, chunked], '0\r\n\r\n')],
    ['a chunked and empty body without a type', posted([chunked], '0\r\n\r\n')],
  ])('are served where they are harmless: %s', async (_what, sent) => {
    expect(await raw(sent)).toMatch(served);
  });

  it.each([
    ['header.host', '1.1', ['Host: a', 'Host: b']],
    ['header.host', '1.1', ['Host: a', 'hOST: a']],
    ['header.host', '1.0', ['HOST: a', 'Host: b']],
    ['header.host', '1.1', ['Host: a, b']],
    ['header.authorization', '1.1', ['Host: x', 'Authorization: Bearer a', 'authorization: Bearer b']],
    ['header.x-admin-key', '1.1', ['Host: x', 'X-Admin-Key: a', 'X-Admin-Key: b']],
    ['header.content-type', '1.1', ['Host: x', ofJson, 'Content-Type: text/plain']],
    ['header.transfer-encoding', '1.0', ['Host: x', chunked]],
  ])('are refused where a header is ambiguous: %s in HTTP/%s, %j', async (path, version, lines) => {
    for (const target of ['/api/corridors', '/healthz', '/nowhere']) {
      const answer = await raw(bytes(`GET ${target} HTTP/${version}`, lines));
      expectRefused(answer, 400, 'INVALID_REQUEST');
      expect(answer).toContain(`"path":"${path}"`);
    }
  });
});

describe('a validation error', () => {
  const details = async (method: string, path: string, options = {}) => {
    const { status, body } = await send(method, path, options);
    const { code, message, details } = body as { code: string; message: string; details: ErrorDetail[] };
    const [first] = details;
    expect([status, code, message]).toEqual([400, 'INVALID_REQUEST', `${first?.path}: ${first?.message}`]);
    return details;
  };

  it.each([
    ['/api/rates/usdc-ngn?amount=1&amount=2', 'query.amount', 'is given more than once'],
    [`/api/anchors/${'a'.repeat(41)}`, 'path.anchor', 'must have at most 40 characters'],
    ['/api/reputation/leaderboard?window=8', 'query.window', 'must be one of 7, 30, 90'],
    ['/api/rates/%zz', 'path', 'must be validly percent-encoded UTF-8'],
  ])('of %s names %s and says that it %s', async (target, path, message) => {
    expect(await details('GET', target)).toEqual([{ path, message }]);
  });

  it('of a body is reported with its path, once per path', async () => {
    const given = { corridor: 7, account: 'GABC', sellAmount: '', expiresAt: '2026-11-21', nonce: ['a'] };
    const found = await details('POST', '/api/intent/offramp', {
      headers: json,
      body: JSON.stringify(given),
    });
    const expected = [
      { path: 'body.anchorId', message: 'is required' },
      { path: 'body.corridor', message: 'must be a string' },
      { path: 'body.nonce', message: 'must be a string' },
      { path: 'body.expiresAt', message: 'must be an ISO 8601 instant such as 2026-11-21T09:30:00Z' },
    ];
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
  });
});

it('an unknown error is a 500 that reveals only its request id, under which it is logged once', async () => {
  // No code of this service writes such a document.
  const intents = fixture.app.connection.collection<{ _id: string; version: number }>('intents');
  await intents.insertOne({ _id: 'a'.repeat(64), version: 0 });
  const before = fixture.errors.length;
  const headers = { 'x-request-id': 'of-this-very-request' };
  const answer = await send('GET', `/api/intent/${'a'.repeat(64)}`, { headers });
  const message = 'The service failed; quote the X-Request-Id when reporting it.';
  expect([answer.status, answer.body]).toEqual([500, { code: 'INTERNAL', message }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(fixture.errors.slice(before)).toEqual(['request failed of-this-very-request']);
});

it('an instance whose log cannot be written stays ready, says so, and counts the lines that it dropped', async () => {
  const state: { fault: string | undefined } = { fault: undefined };
  const logOutput = { fault: () => state.fault, droppedLines: () => 7, flush: async () => undefined };
  const { uri, app } = fixture;
  const own = await startTestApp({ uri, simulated: app.simulated, world: { logOutput } });
  const ready = () => own.client.request('GET', '/readyz');
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } });
  state.fault = 'The log cannot be written.';
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', warnings: [state.fault] } });
  const { body } = await own.client.request<string>('GET', '/metrics');
  expect(body).toMatch(/^fairlead_log_lines_dropped_total 7$/m);
  await own.close();
});
