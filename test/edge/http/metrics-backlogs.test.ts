import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let app: TestApp;

async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  const samples = text.matchAll(/^(fairlead_\w+(?:\{[^}]*\})?) (\S+)$/gm);
  return new Map([...samples].map(([, name = '', value]) => [name, Number(value)]));
}

async function put(collection: string, rows: Record<string, unknown>[]): Promise<void> {
  await app.connection.collection(collection).insertMany(rows as never[]);
}

afterAll(() => app.close());

describe('/metrics of an instance that runs the schedule', () => {
  beforeAll(async () => {
    app = await startTestApp({ uri: database.uri, env: { SCHEDULER: 'on' } });
  });
  afterAll(() => app.close());

  it('counts the runs of every job by outcome, and shows when each last succeeded', async () => {
    const startedAt = Date.now() / 1_000;
    const job = (name: string, outcome: string) =>
      `fairlead_job_runs_total{task="${name}",outcome="${outcome}"}`;
    const lastOf = (name: string) => `fairlead_job_last_success_timestamp_seconds{task="${name}"}`;
    for (const name of ['reconcile', 'refresh']) {
      await waitFor(async () => expect((await scrape()).get(job(name, 'done')) ?? 0).toBeGreaterThan(0));
      const last = (await scrape()).get(lastOf(name)) ?? 0;
      expect(Math.abs(last - startedAt)).toBeLessThan(30);
    }
    const samples = await scrape();
    expect(samples.get(job('tick', 'failed'))).toBe(0);
  });
});

describe('/metrics of any instance', () => {
  beforeAll(async () => {
    // Nothing listens on the oracle's port, so what is pending stays pending.
    app = await startTestApp({
      uri: database.uri,
      env: { ORACLE_URL: 'http://127.0.0.1:9', PUBLISHER_SECRET_KEY: '15'.repeat(32) },
    });
    await put('webhooks', [{ _id: 'off', enabled: false, secrets: [] }]);
    await put('deliveries', [
      { _id: 'd', webhookId: 'off', eventId: 'e', state: 'pending', byAdmin: false, due: new Date(0) },
    ]);
    await put('disputes', [
      { _id: 'a', intentHash: 'a', filedBy: 'wallet', status: 'open' },
      { _id: 'b', intentHash: 'b', filedBy: 'wallet', status: 'open' },
    ]);
    await put(
      'reputation_marks',
      ['21', '21', '22'].map((day) => ({ anchorId: 'harbour', corridor: 'usdc-ngn', day })),
    );
    await put('batches', [
      { _id: 1, open: false, announced: true, header: { previous: null }, headerHash: 'a' },
      { _id: 2, open: true, announced: false, header: { previous: 'a' }, headerHash: 'b' },
      { _id: 3, open: true, announced: false, header: { previous: 'b' }, headerHash: 'c' },
    ]);
  });

  it('shows the backlogs in the database, and no series for jobs that it does not run', async () => {
    const backlogs = {
      fairlead_webhook_open_events: 0,
      fairlead_webhook_open_deliveries: 1,
      fairlead_webhook_due_deliveries: 0,
      fairlead_open_disputes: 2,
      fairlead_reputation_marks: 3,
      fairlead_publisher_pending_batches: 2,
      fairlead_publisher_log_held: 0,
    };
    // On a busy machine one of them may be missing at first, because the database did not answer in time.
    await waitFor(async () => expect(Object.fromEntries(await scrape())).toMatchObject(backlogs), {
      interval: 500,
    });
    expect([...(await scrape()).keys()].filter((name) => name.startsWith('fairlead_job_'))).toEqual([]);
  });

  it('shows a change of a backlog within seconds', async () => {
    await put('disputes', [{ _id: 'c', intentHash: 'c', filedBy: 'wallet', status: 'open' }]);
    const openDisputes = async () => (await scrape()).get('fairlead_open_disputes');
    await waitFor(async () => expect(await openDisputes()).toBe(3), { timeout: 10_000, interval: 500 });
  });
});
