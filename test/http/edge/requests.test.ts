import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, testAdminKey } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';
import { silentLogger } from '../../helpers/silent-logger.js';

const database = testDatabase();
let app: TestApp;
let clients = 0;
/** What the log calls a person for. */
const errors: string[] = [];

beforeAll(async () => {
  const logger = { ...silentLogger, error: (_fields: object, message: string) => errors.push(message) };
  app = await startTestApp({ uri: database.uri, world: { logger } });
});
afterAll(() => app.close());

/** Every request of this file is a client of its own, so that no limit interferes. */
function send(
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string } = {},
) {
  clients += 1;
  const address = `198.18.${clients >> 8}.${clients & 255}`;
  return app.client.request(method, path, {
    ...options,
    headers: { 'x-forwarded-for': address, ...options.headers },
  });
}

/** What only a raw socket can send. Resolves with all that came back. */
function raw(text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
      if (/\r\n\r\n[\s\S]*}\s*$/.test(answer)) socket.end();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const invalidate = '/api/admin/cache/invalidate';
const admin = { 'x-admin-key': testAdminKey };
const json = { ...admin, 'content-type': 'application/json' };

describe('every answer', () => {
  it('carries a request id, and keeps a harmless one of the caller', async () => {
    const own = await send('GET', '/api/corridors');
    expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    const kept = await send('GET', '/api/corridors', { headers: { 'x-request-id': 'trace.me_0001' } });
    expect(kept.headers.get('x-request-id')).toBe('trace.me_0001');
    const replaced = await send('GET', '/api/corridors', { headers: { 'x-request-id': 'short' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('404 and 405', () => {
  it('answer an unknown path in the common shape', async () => {
    const answer = await send('GET', '/api/nothing');
    expect([answer.status, answer.body]).toEqual([404, { code: 'NOT_FOUND', message: expect.any(String) }]);
  });

  it.each(['/api/corridors/', '/API/corridors', '//api/corridors'])('do not guess at %s', async (path) => {
    expect((await send('GET', path)).status).toBe(404);
  });

  it('list the methods a path has', async () => {
    const answer = await send('DELETE', '/api/corridors');
    expect(answer.status).toBe(405);
    expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('the operational paths', () => {
  it.each(['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json'])(
    'are read-only: %s',
    async (path) => {
      const answer = await fetch(`${app.url}${path}`, { method: 'POST' });
      expect([answer.status, await answer.json()]).toEqual([
        405,
        { code: 'METHOD_NOT_ALLOWED', message: expect.any(String) },
      ]);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      const options = await fetch(`${app.url}${path}`, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expect((await fetch(`${app.url}${path}`)).headers.get('access-control-allow-origin')).toBeNull();
    },
  );
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
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('59');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    },
  );
});

describe('a body', () => {
  it('may be absent where nothing is required, whatever the content type', async () => {
    expect((await send('POST', invalidate, { headers: admin })).status).toBe(200);
    expect(
      (await send('POST', invalidate, { headers: { ...admin, 'content-type': 'text/plain' } })).status,
    ).toBe(200);
    expect((await send('POST', invalidate, { headers: json, body: '{}' })).status).toBe(200);
  });

  it.each([
    ['text', { ...admin, 'content-type': 'text/plain' }, '{}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a form',
      { ...admin, 'content-type': 'application/x-www-form-urlencoded' },
      'a=1',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['compressed', { ...json, 'content-encoding': 'gzip' }, '{}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'in another charset',
      { ...admin, 'content-type': 'application/json; charset=latin1' },
      '{}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'declared as UTF-16',
      { ...admin, 'content-type': 'application/json; charset=utf-16' },
      '{}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['malformed', json, '{"scope":', 400, 'MALFORMED_JSON'],
    ['a bare string', json, '"all"', 400, 'INVALID_REQUEST'],
    ['an array', json, '[]', 400, 'INVALID_REQUEST'],
    ['null', json, 'null', 400, 'INVALID_REQUEST'],
    ['nested 17 deep', json, `${'{"scope":'.repeat(17)}1${'}'.repeat(17)}`, 400, 'MALFORMED_JSON'],
    ['deep', json, `{"scope":${'['.repeat(20)}${']'.repeat(20)}}`, 400, 'MALFORMED_JSON'],
    ['very deep', json, `{"scope":${'['.repeat(7_000)}${']'.repeat(7_000)}}`, 400, 'MALFORMED_JSON'],
    ['with __proto__', json, '{"__proto__":{"scope":"all"}}', 400, 'MALFORMED_JSON'],
    ['with constructor', json, '{"scope":{"constructor":1}}', 400, 'MALFORMED_JSON'],
    ['over 16 KB', json, JSON.stringify({ scope: 'a'.repeat(17_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['with an unknown member', json, '{"iban":"NL00BANK"}', 400, 'INVALID_REQUEST'],
    ['with an operator', json, '{"scope":{"$ne":"all"}}', 400, 'INVALID_REQUEST'],
  ])('that is %s is refused', async (_name, headers, body, status, code) => {
    const answer = await send('POST', invalidate, { headers, body });
    expect([answer.status, answer.body]).toMatchObject([status, { code }]);
  });

  it('nested 16 deep is read', async () => {
    const answer = await send('POST', invalidate, {
      headers: json,
      body: `${'{"scope":'.repeat(16)}1${'}'.repeat(16)}`,
    });
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('of a GET is not looked at', async () => {
    const answer = await raw(
      'GET /api/corridors HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  const head = `POST ${invalidate} HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${testAdminKey}\r\nContent-Type: application/json\r\n`;

  it.each(['', 'Expect: 100-continue\r\n'])(
    'declared too large is refused before it is sent %s',
    async (expectation) => {
      const answer = await raw(`${head}${expectation}Content-Length: 10000000\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toMatch(/\r\nConnection: close\r\n/);
      expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
    },
  );

  it('that is not UTF-8 is refused', async () => {
    const answer = await raw(
      Buffer.concat([
        Buffer.from(`${head}Content-Length: 13\r\n\r\n{"scope":"`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"MALFORMED_JSON"');
  });

  it('with a malformed chunk is refused, and nobody is called for it', async () => {
    const before = errors.length;
    const answer = await raw(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(errors.slice(before)).toEqual([]);
  });

  it('is not read before the credential is checked', async () => {
    const answer = await send('POST', invalidate, {
      headers: { 'content-type': 'application/json', 'x-admin-key': 'wrong' },
      body: '{"scope":',
    });
    expect(answer.status).toBe(401);
  });
});

describe('a query', () => {
  it.each([
    'amount=0',
    'amount=-1',
    'amount=1e3',
    'amount=NaN',
    `amount=${'9'.repeat(40)}`,
    'amount=',
    'amount=1&amount=2',
    'amount[$ne]=1',
    'amount[]=1',
    'amount=1.12345678',
    'amount=01',
    'amount=%2B1',
    'amount=1%00',
    'amount=Infinity',
    'amont=1',
    '__proto__=1',
    'constructor=1',
    'deliveryMethod[$gt]=',
  ])('of rates with %s is 400 and names the parameter', async (query) => {
    const answer = await send('GET', `/api/rates/usdc-ngn?${query}`);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
    const body = answer.body as { details: { path: string }[] };
    expect(body.details[0]?.path).toMatch(/^query/);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('90');
  });

  it('never echoes a long value', async () => {
    const answer = await send('GET', `/api/rates/usdc-ngn?amount=${'7'.repeat(1_000)}&${'k'.repeat(500)}=1`);
    expect(JSON.stringify(answer.body)).not.toMatch(/7{65}|k{65}/);
  });

  it.each(['USDC-NGN', 'usdc', 'usdc-ngn-ngn-ngn', 'usdc_ngn', '..%2f', 'a'.repeat(100)])(
    'is preceded by a corridor of the documented form: %s is 400',
    async (corridor) => {
      expect((await send('GET', `/api/rates/${corridor}`)).body).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it('for a well-formed corridor that is not served is 404', async () => {
    expect((await send('GET', '/api/rates/usdc-chf')).body).toMatchObject({ code: 'UNKNOWN_CORRIDOR' });
  });
});

describe('credentials', () => {
  it.each([
    ['none', {}],
    ['a wrong one', { 'x-admin-key': 'wrong' }],
    ['an empty one', { 'x-admin-key': '' }],
    ['an over-long one', { 'x-admin-key': 'a'.repeat(4_000) }],
    ['the right one with a space', { 'x-admin-key': `${testAdminKey}x` }],
    ['the admin key as bearer', { authorization: `Bearer ${testAdminKey}` }],
  ])('of an admin endpoint: %s is 401', async (_name, headers) => {
    const answer = await send('POST', invalidate, { headers });
    expect([answer.status, answer.body]).toEqual([
      401,
      { code: 'UNAUTHORIZED', message: expect.any(String) },
    ]);
  });

  it('are compared by header names of any case', async () => {
    expect((await send('POST', invalidate, { headers: { 'X-ADMIN-KEY': testAdminKey } })).status).toBe(200);
  });

  it('that the server has not set serve nobody', async () => {
    const closed = await startTestApp({
      uri: database.uri,
      simulated: app.simulated,
      env: { ADMIN_SECRET_KEY: '' },
    });
    for (const key of ['', testAdminKey]) {
      const answer = await closed.client.request('POST', invalidate, { headers: { 'x-admin-key': key } });
      expect(answer.status).toBe(401);
    }
    await closed.close();
  });

  it('may be either of two while one replaces the other', async () => {
    const rotating = await startTestApp({
      uri: database.uri,
      simulated: app.simulated,
      env: { ADMIN_SECRET_KEY: 'old-admin-key-0123456789abcdef,new-admin-key-0123456789abcdef' },
    });
    for (const age of ['old', 'new']) {
      const headers = { 'x-admin-key': `${age}-admin-key-0123456789abcdef` };
      expect((await rotating.client.request('POST', invalidate, { headers })).status).toBe(200);
    }
    await rotating.close();
  });
});

describe('CORS', () => {
  it('opens public operations to any origin, without credentials', async () => {
    const answer = await send('GET', '/api/corridors', { headers: { origin: 'https://wallet.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    for (const name of [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'ETag',
      'X-Request-Id',
    ]) {
      expect(answer.headers.get('access-control-expose-headers')).toContain(name);
    }
  });

  it('answers preflights of public operations, and none of admin ones', async () => {
    const ask = (path: string, method: string) =>
      send('OPTIONS', path, {
        headers: { origin: 'https://wallet.example', 'access-control-request-method': method },
      });
    const open = await ask('/api/rates/usdc-ngn', 'GET');
    expect(open.status).toBe(204);
    expect(open.headers.get('access-control-allow-methods')).toBe('GET');
    const closed = await ask(invalidate, 'POST');
    expect(closed.status).toBe(204);
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('shows no header on admin answers', async () => {
    const answer = await send('POST', invalidate, {
      headers: { ...admin, origin: 'https://wallet.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
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
  });

  it('does not include an expectation that nobody knows', async () => {
    const answer = await raw('GET /api/corridors HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is answered in the common shape: a header block over 8 KB', async () => {
    const answer = await raw(`GET /api/corridors HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(9_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
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
