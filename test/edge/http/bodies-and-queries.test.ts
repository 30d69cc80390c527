import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { admin, edgeFixture, invalidate, json } from '../../fixtures/edge/raw-requests.js';
import { testAdminKey } from '../../support/app.js';

const fixture = edgeFixture();
const { send, raw, errors } = fixture;

describe('a body', () => {
  it('may be missing where nothing is required, whatever the content type', async () => {
    expect((await send('POST', invalidate, { headers: admin })).status).toBe(200);
    expect(
      (await send('POST', invalidate, { headers: { ...admin, 'content-type': 'text/plain' } })).status,
    ).toBe(200);
    expect((await send('POST', invalidate, { headers: json, body: '{}' })).status).toBe(200);
  });

  const typed = (type: string) => ({ ...admin, 'content-type': type });
  const media = [415, 'UNSUPPORTED_MEDIA_TYPE'] as const;

  it.each([
    ['text', typed('text/plain'), '{}', ...media],
    ['a form', typed('application/x-www-form-urlencoded'), 'a=1', ...media],
    ['compressed', { ...json, 'content-encoding': 'gzip' }, '{}', ...media],
    ['in another charset', typed('application/json; charset=latin1'), '{}', ...media],
    ['declared as UTF-16', typed('application/json; charset=utf-16'), '{}', ...media],
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

  it('of a GET is not read', async () => {
    const answer = await raw(
      'GET /api/corridors HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  const head = `POST ${invalidate} HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${testAdminKey}\r\nContent-Type: application/json\r\n`;

  it.each(['', 'Expect: 100-continue\r\n'])(
    'that is declared too large is refused before it is sent %s',
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

  it('with a malformed chunk is refused without an error in the log', async () => {
    const before = errors.length;
    const answer = await raw(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(errors.slice(before)).toEqual([]);
  });

  it('that is chunked and empty is no body, whatever its type', async () => {
    for (const type of [head, head.replace(/Content-Type: [^\r]*\r\n/i, '')])
      expect(await raw(`${type}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    const text = head.replace(/application\/json/, 'text/plain');
    const answer = await raw(`${text}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
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
    ...['amount=0', 'amount=-1', 'amount=1e3', 'amount=NaN', `amount=${'9'.repeat(40)}`, 'amount='],
    ...['amount=1&amount=2', 'amount[$ne]=1', 'amount[]=1', 'amount=1.12345678', 'amount=01', 'amount=%2B1'],
    ...['amount=1%00', 'amount=Infinity', 'amont=1', '__proto__=1', 'constructor=1', 'deliveryMethod[$gt]='],
  ])('of rates with %s is 400 and names the parameter', async (query) => {
    const answer = await send('GET', `/api/rates/usdc-ngn?${query}`);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
    const body = answer.body as { details: { path: string }[] };
    expect(body.details[0]?.path).toMatch(/^query/);
    expect(answer.headers.get('x-ratelimit-limit')).toBe(String(rateLimitClasses.rates.points));
  });

  it('is never quoted in an error when it is long', async () => {
    const answer = await send('GET', `/api/rates/usdc-ngn?amount=${'7'.repeat(1_000)}&${'k'.repeat(500)}=1`);
    expect(JSON.stringify(answer.body)).not.toMatch(/7{65}|k{65}/);
  });

  it.each(['usdc', 'usdc-ngn-ngn-ngn', 'usdc_ngn', '..%2f', 'a'.repeat(100)])(
    'follows a corridor of the documented form: %s is 400',
    async (corridor) => {
      expect((await send('GET', `/api/rates/${corridor}`)).body).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it('of a well-formed corridor that is not served is 404', async () => {
    expect((await send('GET', '/api/rates/usdc-chf')).body).toMatchObject({ code: 'UNKNOWN_CORRIDOR' });
  });
});
