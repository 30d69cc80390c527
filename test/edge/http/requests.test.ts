import { describe, expect, it } from '@jest/globals';
import type { ErrorDetail } from '../../../contract/errors.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { exampleBody } from '../../../scripts/openapi/answers.js';
import { edgeFixture, json } from '../../fixtures/edge/raw-requests.js';
import { startTestApp } from '../../support/app.js';

const fixture = edgeFixture();
const { send, raw } = fixture;

describe('every answer', () => {
  it('has a request id, which is the one the client sent if that is harmless', async () => {
    const own = await send('GET', '/api/corridors');
    expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    const kept = await send('GET', '/api/corridors', { headers: { 'x-request-id': 'trace.me_0001' } });
    expect(kept.headers.get('x-request-id')).toBe('trace.me_0001');
    const replaced = await send('GET', '/api/corridors', { headers: { 'x-request-id': 'short' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('404 and 405', () => {
  it('have the common shape on an unknown path', async () => {
    const answer = await send('GET', '/api/nothing');
    expect([answer.status, answer.body]).toEqual([404, { code: 'NOT_FOUND', message: expect.any(String) }]);
  });

  it.each(['/api/corridors/', '/API/corridors', '//api/corridors'])(
    'are not avoided by guessing: %s is 404',
    async (path) => {
      expect((await send('GET', path)).status).toBe(404);
    },
  );

  it('list the methods of a path in Allow', async () => {
    const answer = await send('DELETE', '/api/corridors');
    expect(answer.status).toBe(405);
    expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('the operational paths', () => {
  it.each([
    ['/healthz', null],
    ['/readyz', null],
    ['/metrics', null],
    ['/docs', null],
    ['/openapi.json', '*'],
    ['/openapi.client.json', '*'],
    ['/llms.txt', '*'],
    ['/docs/rates.md', '*'],
  ])('are read-only, and %s is open to pages of the origins %j', async (path, origins) => {
    const answer = await fetch(`${fixture.app.url}${path}`, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([
      405,
      { code: 'METHOD_NOT_ALLOWED', message: expect.any(String) },
    ]);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const options = await fetch(`${fixture.app.url}${path}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await fetch(`${fixture.app.url}${path}`)).headers.get('access-control-allow-origin')).toBe(
      origins,
    );
  });
});

describe('a request target', () => {
  it('over 2 KB is 414', async () => {
    expect((await send('GET', `/api/rates/usdc-ngn?amount=${'1'.repeat(2_048)}`)).body).toMatchObject({
      code: 'URI_TOO_LONG',
    });
  });

  it.each(['/api/rates/%E0%A4%A', '/api/rates/usdc-ngn?amount=%ff', '/%'])(
    'with bad percent-encoding is 400: %s',
    async (path) => {
      const answer = await send('GET', path);
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          code: 'INVALID_REQUEST',
          message: expect.any(String),
          details: [{ path: 'path', message: 'must be validly percent-encoded UTF-8' }],
        },
      ]);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(rateLimitClasses.default.points - 1));
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    },
  );
});

describe('a target in absolute form', () => {
  const rest = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  it.each(['x://y', 'http://', 'http://?a'])('without a path is that of the root: %s', async (target) => {
    const statusLine = /^HTTP\/1\.1 \d+/;
    const [expected] = statusLine.exec(await raw(`GET / ${rest}`)) ?? [];
    const answer = await raw(`GET ${target} ${rest}`);
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
    expect(statusLine.exec(answer)?.[0]).toBe(expected);
    const refused = await raw(`POST ${target} ${rest}`);
    expect(refused).toContain('"code":"METHOD_NOT_ALLOWED"');
  });

  it('is answered as its path is', async () => {
    const answer = await raw(`GET http://elsewhere.example/api/corridors?limit=1 ${rest}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('what the HTTP parser refuses', () => {
  it.each([
    ['no Host', 'GET /api/corridors HTTP/1.1\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ])('is answered in the common shape with a request id: %s', async (_name, text, status, code) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
    expect(answer).toContain(`"code":"${code}"`);
    // A 405 requires Allow (RFC 9110, section 15.5.6); an empty one names no method.
    expect(answer.includes('\r\nAllow:\r\n')).toBe(status === 405);
  });

  it('does not include an unknown Expect header', async () => {
    const answer = await raw('GET /api/corridors HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is answered in the common shape: a header block over 8 KB', async () => {
    const answer = await raw(`GET /api/corridors HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(9_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain(JSON.stringify(exampleBody('HEADERS_TOO_LARGE')));
  });

  it('is answered in the common shape: a line that is not HTTP', async () => {
    const answer = await raw('nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"INVALID_REQUEST"');
  });
});

describe('caching', () => {
  it('answers a matching ETag with 304 and no body, per content coding', async () => {
    const plain = await send('GET', '/api/rates/usdc-ngn', { headers: { 'accept-encoding': 'identity' } });
    const etag = plain.headers.get('etag') ?? '';
    expect(plain.headers.get('vary')).toContain('Accept-Encoding');
    expect(plain.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    const again = await send('GET', '/api/rates/usdc-ngn', {
      headers: { 'accept-encoding': 'identity', 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
    const zipped = await send('GET', '/api/rates/usdc-ngn', {
      headers: { 'accept-encoding': 'gzip', 'if-none-match': etag },
    });
    expect(zipped.status).toBe(200);
    expect(zipped.headers.get('etag')).not.toBe(etag);
  });
});

describe('a header that may occur once', () => {
  const once = (path: string, lines: string[], version = '1.1') =>
    raw(`GET ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`);

  it.each([
    ['header.host', '1.1', ['Host: a', 'Host: b']],
    ['header.host', '1.1', ['Host: a', 'hOST: a']],
    ['header.host', '1.0', ['HOST: a', 'Host: b']],
    ['header.host', '1.1', ['Host: a, b']],
    ['header.authorization', '1.1', ['Host: x', 'Authorization: Bearer a', 'authorization: Bearer b']],
    ['header.x-admin-key', '1.1', ['Host: x', 'X-Admin-Key: a', 'X-Admin-Key: b']],
    ['header.content-type', '1.1', ['Host: x', 'Content-Type: application/json', 'Content-Type: text/plain']],
    ['header.transfer-encoding', '1.0', ['Host: x', 'Transfer-Encoding: chunked']],
  ])(
    'is refused in the common shape where it is ambiguous: %s in HTTP/%s, %j',
    async (path, version, lines) => {
      for (const target of ['/api/corridors', '/healthz', '/nowhere']) {
        const answer = await once(target, lines, version);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
        expect(answer).toContain(`"code":"INVALID_REQUEST"`);
        expect(answer).toContain(`"path":"${path}"`);
      }
    },
  );

  it.each([
    ['two Content-Length', 'Content-Length: 2\r\nContent-Length: 2', '{}'],
    ['a list of Content-Length', 'Content-Length: 2, 2', '{}'],
    [
      'Content-Length beside Transfer-Encoding',
      'Content-Length: 2\r\nTransfer-Encoding: chunked',
      '2\r\n{}\r\n0\r\n\r\n',
    ],
    [
      'two Transfer-Encoding',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
      '2\r\n{}\r\n0\r\n\r\n',
    ],
  ])('is refused where it frames the body: %s', async (_name, lines, body) => {
    const answer = await raw(`POST /api/intent/offramp HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"INVALID_REQUEST"');
  });

  it('is served where it occurs once, with or without a port', async () => {
    for (const host of ['x', 'x:8080', '[::1]:8080', ''])
      expect(await once('/api/corridors', [`Host: ${host}`])).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('X-Forwarded-For in several lines', () => {
  it('is one list in their order: the last entry of the last line is the client', async () => {
    const remaining = async (lines: string[]) => {
      const forwarded = lines.map((line) => `X-Forwarded-For: ${line}\r\n`).join('');
      const answer = await raw(`GET /api/corridors HTTP/1.1\r\nHost: x\r\n${forwarded}\r\n`);
      return Number(/X-RateLimit-Remaining: (\d+)/i.exec(answer)?.[1]);
    };
    const first = await remaining(['203.0.113.77', '198.51.100.200']);
    expect(await remaining(['203.0.113.78', '198.51.100.200'])).toBe(first - 1);
    expect(await remaining(['203.0.113.78, 198.51.100.200'])).toBe(first - 2);
    expect(await remaining(['198.51.100.200', '127.0.0.9'])).toBe(first - 3);
    expect(await remaining(['198.51.100.200', '203.0.113.79'])).toBe(first);
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
    const body = JSON.stringify({
      corridor: 7,
      account: 'GABC',
      sellAmount: '',
      expiresAt: '2026-11-21',
      nonce: ['a'],
    });
    const found = await details('POST', '/api/intent/offramp', { headers: json, body });
    const instant = 'must be an ISO 8601 instant such as 2026-11-21T09:30:00Z';
    expect(found).toEqual(
      expect.arrayContaining([
        { path: 'body.anchorId', message: 'is required' },
        { path: 'body.corridor', message: 'must be a string' },
        { path: 'body.nonce', message: 'must be a string' },
        { path: 'body.expiresAt', message: instant },
      ]),
    );
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
