import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { admin, edgeFixture, invalidate, json } from '../../fixtures/edge/raw-requests.js';
import { startTestApp, testAdminKey, testCronSecret } from '../../support/app.js';

const fixture = await edgeFixture();
const { send } = fixture;
const origin = 'https://wallet.example';

describe('a body', () => {
  it('may be missing where nothing is required, whatever the content type', async () => {
    const text = { ...admin, 'content-type': 'text/plain' };
    for (const given of [{ headers: admin }, { headers: text }, { headers: json, body: '{}' }])
      expect((await send('POST', invalidate, given)).status).toBe(200);
  });

  const typed = (type: string) => ({ ...admin, 'content-type': type });
  const nested = (depth: number) => `${'{"scope":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const lists = (depth: number) => `{"scope":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const unknown = { ...json, 'x-admin-key': 'no' };
  const media = [415, 'UNSUPPORTED_MEDIA_TYPE'] as const;
  const malformed = [400, 'MALFORMED_JSON'] as const;
  const invalid = [400, 'INVALID_REQUEST'] as const;

  it.each<[what: string, headers: Record<string, string>, body: string, status: number, code: string]>([
    ['text', typed('text/plain'), '{}', ...media],
    ['a form', typed('application/x-www-form-urlencoded'), 'a=1', ...media],
    ['compressed', { ...json, 'content-encoding': 'gzip' }, '{}', ...media],
    ['in another charset', typed('application/json; charset=latin1'), '{}', ...media],
    ['declared as UTF-16', typed('application/json; charset=utf-16'), '{}', ...media],
    ['malformed', json, '{"scope":', ...malformed],
    ['malformed, and not read without a credential', unknown, '{', 401, 'UNAUTHORIZED'],
    ['a bare string', json, '"all"', ...invalid],
    ['an array', json, '[]', ...invalid],
    ['null', json, 'null', ...invalid],
    ['nested 16 deep, which is read', json, nested(16), ...invalid],
    ['nested 17 deep', json, nested(17), ...malformed],
    ['deep', json, lists(20), ...malformed],
    ['very deep', json, lists(7_000), ...malformed],
    ['with __proto__', json, '{"__proto__":{"scope":"all"}}', ...malformed],
    ['with constructor', json, '{"scope":{"constructor":1}}', ...malformed],
    ['over 16 KB', json, JSON.stringify({ scope: 'a'.repeat(17_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['with an unknown member', json, '{"iban":"NL00BANK"}', ...invalid],
    ['with an operator', json, '{"scope":{"$ne":"all"}}', ...invalid],
  ])('that is %s is refused', async (_name, headers, body, status, code) => {
    const answer = await send('POST', invalidate, { headers, body });
    expect([answer.status, answer.body]).toMatchObject([status, { code }]);
  });
});

describe('a query', () => {
  it.each([
    ...['amount=0', 'amount=-1', 'amount=1e3', 'amount=NaN', `amount=${'9'.repeat(40)}`, 'amount='],
    ...['amount=1&amount=2', 'amount[$ne]=1', 'amount[]=1', 'amount=1.12345678', 'amount=01', 'amount=%2B1'],
    ...['amount=1%00', 'amount=Infinity', 'amont=1', '__proto__=1', 'constructor=1', 'deliveryMethod[$gt]='],
  ])('of rates with %s is 400 and names the parameter', async (query) => {
    const answer = await send('GET', `/api/rates/usdc-ngn?${query}`);
    const details = expect.arrayContaining([
      expect.objectContaining({ path: expect.stringMatching(/^query/) }),
    ]);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'INVALID_REQUEST', details }]);
    expect(answer.headers.get('x-ratelimit-limit')).toBe(String(rateLimitClasses.rates.points));
  });

  it('is never quoted in an error when it is long', async () => {
    const answer = await send('GET', `/api/rates/usdc-ngn?amount=${'7'.repeat(1_000)}&${'k'.repeat(500)}=1`);
    expect(JSON.stringify(answer.body)).not.toMatch(/7{65}|k{65}/);
  });
});

describe('credentials', () => {
  const refusal = { code: 'UNAUTHORIZED', message: expect.any(String) };
  const secret = 'clé d’accès of a test 0123456789';
  const sent = Buffer.from(secret).toString('latin1');
  const rotating = ['old', 'new'].map((age) => `${age}-admin-key-0123456789abcdef`);
  const reconcile = '/api/reputation/reconcile';

  it.each([
    ['none', {}],
    ['a wrong one', { 'x-admin-key': 'wrong' }],
    ['an empty one', { 'x-admin-key': '' }],
    ['an over-long one', { 'x-admin-key': 'a'.repeat(4_000) }],
    ['the right one and more', { 'x-admin-key': `${testAdminKey}x` }],
    ['the admin key as bearer', { authorization: `Bearer ${testAdminKey}` }],
  ])('of an admin endpoint: %s is 401', async (_name, headers) => {
    const answer = await send('POST', invalidate, { headers });
    expect([answer.status, answer.body]).toEqual([401, refusal]);
  });

  it.each([reconcile, '/api/reputation/refresh', '/api/publisher/tick', '/api/observations/round'])(
    'of %s: none, a wrong one and one of another scheme are 401, which names the scheme',
    async (path) => {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic abc' }]) {
        const { status, body, headers: shown } = await send('POST', path, { headers });
        expect([status, body, shown.get('www-authenticate')]).toEqual([401, refusal, 'Bearer']);
      }
    },
  );

  it('of an internal endpoint lift the limit of silence for one request: its answer closes the connection', async () => {
    const shown = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(`http://127.0.0.1:${fixture.app.port}${path}`, { method: 'POST', headers });
      return [answer.status, answer.headers.get('connection')];
    };
    const cron = { authorization: `Bearer ${testCronSecret}` };
    expect(await shown('/api/reputation/refresh', cron)).toEqual([200, 'close']);
    expect(await shown(invalidate, admin)).toEqual([200, 'keep-alive']);
  });

  it('are read from a header name in any case', async () => {
    expect((await send('POST', invalidate, { headers: { 'X-ADMIN-KEY': testAdminKey } })).status).toBe(200);
  });

  it.each<[what: string, key: string, sent: string[], status: number]>([
    ['that are not configured are refused to everybody', '', ['', testAdminKey], 401],
    ['may be either of two configured keys during a rotation', rotating.join(','), rotating, 200],
    ['may hold spaces and letters beyond ASCII, sent as UTF-8', secret, [sent], 200],
  ])('%s', async (_what, key, tried, status) => {
    const { uri, app } = fixture;
    const env = { ADMIN_SECRET_KEY: key, CRON_SECRET: key };
    const service = await startTestApp({ uri, simulated: app.simulated, env });
    const ask = (path: string, headers: Record<string, string>) =>
      service.client.request('POST', path, { headers });
    for (const each of tried) {
      expect((await ask(invalidate, { 'x-admin-key': each })).status).toBe(status);
      expect((await ask(reconcile, { authorization: `Bearer ${each}` })).status).toBe(status);
    }
    await service.close();
  });
});

describe('CORS', () => {
  it('allows public operations to any origin, without credentials', async () => {
    const { headers } = await send('GET', '/api/corridors', { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    const exposed =
      'X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset Retry-After Date ETag X-Request-Id';
    for (const name of exposed.split(' '))
      expect(headers.get('access-control-expose-headers')).toContain(name);
  });

  it('answers preflights of public operations, and none of admin ones, whose answers have no header of it', async () => {
    const ask = (path: string, method: string) =>
      send('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });
    const open = await ask('/api/rates/usdc-ngn', 'GET');
    expect([open.status, open.headers.get('access-control-allow-methods')]).toEqual([204, 'GET']);
    const closed = await ask(invalidate, 'POST');
    const answered = await send('POST', invalidate, { headers: { ...admin, origin } });
    expect([closed.status, answered.status]).toEqual([204, 200]);
    for (const { headers } of [closed, answered])
      expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
