import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, testAdminKey } from '../../support/app.js';
import { privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const frozenMs = 20_000;
/** An answer takes about 2 s; the rest is a margin for a busy machine. */
const answerWithinMs = 8_000;

const mongo = await privateMongo();
const app = await startTestApp({ uri: mongo.uri });
afterAll(async () => {
  await app.close();
  await mongo.stop();
});

async function timed(method: string, path: string, headers: Record<string, string> = {}) {
  const startedAt = performance.now();
  const answer = await app.client.request(method, path, { headers });
  return { ...answer, elapsedMs: performance.now() - startedAt };
}

const invalidate = () => timed('POST', '/api/admin/cache/invalidate', { 'x-admin-key': testAdminKey });

it('mongod stopped for 20 s still serves cached rates, answers 503 in time to what needs the database, and recovers afterwards', async () => {
  const rates = '/api/rates/usdc-ngn?amount=100';
  expect((await timed('GET', rates)).status).toBe(200);
  mongo.freeze();
  const until = performance.now() + frozenMs;
  try {
    while (performance.now() < until) {
      const [cached, listed, invalidated, ready, alive] = await Promise.all([
        timed('GET', rates),
        timed('GET', '/api/anchors'),
        invalidate(),
        fetch(`${app.url}/readyz`),
        fetch(`${app.url}/healthz`),
      ]);
      expect(cached.status).toBe(200);
      expect(cached.headers.get('x-ratelimit-limit')).toBe(String(rateLimitClasses.rates.points));
      expect(cached.elapsedMs).toBeLessThan(answerWithinMs);
      for (const answer of [listed, invalidated]) {
        expect([answer.status, answer.body]).toMatchObject([503, { code: 'NOT_READY' }]);
        const { retryAfter } = answer.body as { retryAfter: number };
        expect(Number(answer.headers.get('retry-after'))).toBe(retryAfter);
        expect(answer.elapsedMs).toBeLessThan(answerWithinMs);
      }
      expect([ready.status, alive.status]).toEqual([503, 200]);
      await delay(250);
    }
    expect(await (await fetch(`${app.url}/metrics`)).text()).toMatch(/^fairlead_rate_limiter_degraded 1$/m);
  } finally {
    mongo.thaw();
  }
  for (const ask of [() => timed('GET', '/api/anchors'), invalidate])
    await waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 10_000 });
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  const metrics = async () => {
    // The next limited request tries the shared counters again.
    await timed('GET', rates);
    return (await fetch(`${app.url}/metrics`)).text();
  };
  const shared = /^fairlead_rate_limiter_degraded 0$/m;
  await waitFor(async () => expect(await metrics()).toMatch(shared), { timeout: 10_000 });
}, 90_000);
