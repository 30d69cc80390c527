import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const path = '/api/corridors';
const { points } = rateLimitClasses.default;

let mongo: PrivateMongo;
let apps: [TestApp, TestApp];

beforeAll(async () => {
  mongo = await privateMongo();
  const first = await startTestApp({ uri: mongo.uri });
  apps = [first, await startTestApp({ uri: mongo.uri, simulated: first.simulated })];
  await waitFor(knowOfEachOther, { timeout: 30_000, interval: 200 });
}, 120_000);
afterAll(async () => {
  mongo.thaw();
  const [first, second] = apps;
  await second.close();
  await first.close();
  await mongo.stop();
});

/** Waits until each instance has counted itself once more after both had started. */
async function knowOfEachOther(): Promise<void> {
  const windows = apps[0].connection.collection<{ _id: string; by: Record<string, { draw: number }> }>(
    'limit_windows',
  );
  const found = await windows.findOne({ _id: 'instances' });
  const draws = Object.values(found?.by ?? {}).map(({ draw }) => draw);
  expect(draws.filter((draw) => draw > 1)).toHaveLength(2);
}

function ask(app: TestApp, client: string) {
  return app.client.request('GET', path, { headers: { 'x-forwarded-for': client } });
}

describe('one of two instances whose database does not answer', () => {
  it('serves a client of which it holds points, and answers 503 to one of which nobody knows the count', async () => {
    const [app] = apps;
    expect((await ask(app, '198.51.100.1')).status).toBe(200);
    mongo.freeze();
    const known = await ask(app, '198.51.100.1');
    expect([known.status, known.headers.get('x-ratelimit-remaining')]).toEqual([200, String(points - 2)]);
    const unknown = await ask(app, '198.51.100.2');
    expect(unknown.status).toBe(503);
    expect(unknown.body).toMatchObject({ code: 'NOT_READY', retryAfter: 2 });
    expect(unknown.headers.get('retry-after')).toBe('2');
    expect(unknown.headers.get('x-ratelimit-limit')).toBe(String(points));
    expect(unknown.headers.get('x-ratelimit-remaining')).toBe('0');
    mongo.thaw();
    await waitFor(async () => expect((await ask(app, '198.51.100.3')).status).toBe(200), {
      timeout: 20_000,
      interval: 500,
    });
  }, 60_000);
});
