import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

let mongo: PrivateMongo;
let app: TestApp;

beforeAll(async () => {
  mongo = await privateMongo();
  // Without an oracle nothing is ever pending, and the database is not queried.
  app = await startTestApp({ uri: mongo.uri, env: { ORACLE_URL: 'http://127.0.0.1:9' } });
});
afterAll(async () => {
  await app.close();
  await mongo.stop();
});

const backlogs = [
  'fairlead_webhook_open_events',
  'fairlead_webhook_open_deliveries',
  'fairlead_webhook_due_deliveries',
  'fairlead_publisher_pending_batches',
  'fairlead_publisher_log_held',
  'fairlead_open_disputes',
  'fairlead_reputation_marks',
];

async function scrape() {
  const startedAt = performance.now();
  const answer = await fetch(`${app.url}/metrics`);
  const text = await answer.text();
  const shown = backlogs.filter((name) => new RegExp(`^${name} \\d+$`, 'm').test(text));
  return { status: answer.status, text, shown, elapsedMs: performance.now() - startedAt };
}

it('answers scrapes in time without the backlogs while the database is stopped, and with them again afterwards', async () => {
  await waitFor(async () => expect((await scrape()).shown).toEqual(backlogs));
  mongo.freeze();
  try {
    await waitFor(async () => expect((await scrape()).shown).toEqual([]), { timeout: 10_000, interval: 500 });
    for (let n = 0; n < 5; n += 1) {
      const [one, other] = await Promise.all([scrape(), scrape()]);
      for (const { status, text, shown, elapsedMs } of [one, other]) {
        expect([status, shown]).toEqual([200, []]);
        expect(text).toMatch(/^fairlead_rate_limiter_degraded [01]$/m);
        expect(text).toMatch(/^process_resident_memory_bytes \d/m);
        expect(elapsedMs).toBeLessThan(2_000);
      }
    }
  } finally {
    mongo.thaw();
  }
  await waitFor(async () => expect((await scrape()).shown).toEqual(backlogs), {
    timeout: 15_000,
    interval: 500,
  });
}, 60_000);
