import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvalidateCacheAnswer } from '../../../contract/schemas/cache.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { startTestApp, type TestApp, testAdminKey } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const path = '/api/admin/cache/invalidate';
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  other = await startTestApp({ uri: database.uri, simulated: app.simulated });
});
afterAll(async () => {
  await other.close();
  await app.close();
});

function invalidate<Body = InvalidateCacheAnswer>(body?: unknown) {
  const headers = { 'x-admin-key': testAdminKey };
  return app.client.request<Body>('POST', path, body === undefined ? { headers } : { headers, body });
}

async function asOf(of: TestApp): Promise<string> {
  const { body } = await of.client.request<RatesAnswer>('GET', '/api/rates/usdc-ngn?amount=123');
  return body.asOf;
}

describe('200', () => {
  it('with an empty body drops everything, and says what it did', async () => {
    await asOf(app);
    const { status, body } = await invalidate();
    expect(status).toBe(200);
    expect(body).toMatchObject({ scope: 'all', corridor: null });
    expect(body.droppedEntries).toBeGreaterThan(0);
    expect((await invalidate({})).body.epoch).toBe(body.epoch + 1);
  });

  it('with scope and corridor makes the next request ask again: here at once, elsewhere within a second', async () => {
    const before = [await asOf(app), await asOf(other)];
    const { body } = await invalidate({ scope: 'rates', corridor: 'usdc-ngn' });
    expect(body).toMatchObject({ scope: 'rates', corridor: 'usdc-ngn' });
    expect(await asOf(app)).not.toBe(before[0]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await asOf(other)).not.toBe(before[1]);
  });
});

describe('400', () => {
  it.each([
    { scope: 'everything' },
    { scope: null },
    { corridor: 'USDC' },
    { corridor: { $ne: '' } },
    { other: 1 },
    [],
  ])('for %j', async (body) => {
    const { status, body: answer } = await invalidate<{ code: string }>(body);
    expect({ status, code: answer.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });
});

describe('401', () => {
  it('without the admin key', async () => {
    const { status, body } = await app.client.request('POST', path, { body: {} });
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });
});

describe('422', () => {
  it('for a corridor that is not served', async () => {
    const { status, body } = await invalidate<object>({ corridor: 'usdc-zzz' });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'UNSUPPORTED_PAIR', details: [{ path: 'body.corridor' }] },
    });
  });
});
