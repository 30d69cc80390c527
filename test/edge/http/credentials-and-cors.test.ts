import { describe, expect, it } from '@jest/globals';
import { admin, edgeFixture, invalidate } from '../../fixtures/edge/raw-requests.js';
import { startTestApp, testAdminKey } from '../../support/app.js';

const fixture = edgeFixture();
const { send } = fixture;

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

  it('are read from a header name in any case', async () => {
    expect((await send('POST', invalidate, { headers: { 'X-ADMIN-KEY': testAdminKey } })).status).toBe(200);
  });

  it('that the server has not configured are refused to everybody', async () => {
    const closed = await startTestApp({
      uri: fixture.uri,
      simulated: fixture.app.simulated,
      env: { ADMIN_SECRET_KEY: '' },
    });
    for (const key of ['', testAdminKey]) {
      const answer = await closed.client.request('POST', invalidate, { headers: { 'x-admin-key': key } });
      expect(answer.status).toBe(401);
    }
    await closed.close();
  });

  it('may be either of two configured keys during a rotation', async () => {
    const rotating = await startTestApp({
      uri: fixture.uri,
      simulated: fixture.app.simulated,
      env: { ADMIN_SECRET_KEY: 'old-admin-key-0123456789abcdef,new-admin-key-0123456789abcdef' },
    });
    for (const age of ['old', 'new']) {
      const headers = { 'x-admin-key': `${age}-admin-key-0123456789abcdef` };
      expect((await rotating.client.request('POST', invalidate, { headers })).status).toBe(200);
    }
    await rotating.close();
  });
});

describe('credentials that hold spaces and letters beyond ASCII', () => {
  const secret = 'clé d’accès of a test 0123456789';
  const sent = Buffer.from(secret).toString('latin1');

  it.each([
    ['ADMIN_SECRET_KEY', invalidate, { 'x-admin-key': sent }],
    ['CRON_SECRET', '/api/reputation/reconcile', { authorization: `Bearer ${sent}` }],
  ])('open what %s guards, sent as UTF-8', async (name, path, headers) => {
    const service = await startTestApp({
      uri: fixture.uri,
      simulated: fixture.app.simulated,
      env: { [name]: secret },
    });
    expect((await service.client.request('POST', path, { headers })).status).toBe(200);
    await service.close();
  });
});

describe('CORS', () => {
  it('allows public operations to any origin, without credentials', async () => {
    const answer = await send('GET', '/api/corridors', { headers: { origin: 'https://wallet.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const exposed =
      'X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset Retry-After Date ETag X-Request-Id';
    for (const name of exposed.split(' '))
      expect(answer.headers.get('access-control-expose-headers')).toContain(name);
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

  it('sets no header on admin answers', async () => {
    const answer = await send('POST', invalidate, {
      headers: { ...admin, origin: 'https://wallet.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
