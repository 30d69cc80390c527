import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp, testCronSecret } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';
import { startWithWrongClock, type WrongClockInstance } from '../../support/wrong-clock.js';

const database = testDatabase();

/** An instance whose clock is right, and which runs no job by itself. */
let right: TestApp;
beforeAll(async () => {
  right = await startTestApp({ uri: database.uri });
});
afterAll(() => right?.close());

const cases: { shiftMs: number; warnings: RegExp[]; reconciles: number; isAlone: number }[] = [
  { shiftMs: 4_000, warnings: [], reconciles: 200, isAlone: 0 },
  { shiftMs: -4_000, warnings: [], reconciles: 200, isAlone: 0 },
  { shiftMs: 6_000, warnings: [/6 s ahead of the database/], reconciles: 503, isAlone: 1 },
  { shiftMs: -6_000, warnings: [/6 s behind the database/], reconciles: 503, isAlone: 1 },
];

const reconcile = ({ client }: Pick<WrongClockInstance, 'client'>) =>
  client.request<{ message: string }>('POST', '/api/reputation/reconcile', {
    headers: { authorization: `Bearer ${testCronSecret}` },
  });

it.each(cases)(
  'an instance that is $shiftMs ms off is ready, and answers $reconciles to the call of a job',
  async (row) => {
    const instance = await startWithWrongClock(right, row.shiftMs);
    try {
      const { status, body } = await instance.ready();
      expect(status).toBe(200);
      expect(body.warnings ?? []).toEqual(row.warnings.map((sentence) => expect.stringMatching(sentence)));
      expect(instance.clockLines()).toEqual(row.warnings.map(() => 'warn'));
      const offset = await instance.metric(/^fairlead_clock_offset_seconds /);
      expect(Math.abs(offset - row.shiftMs / 1_000)).toBeLessThan(0.5);
      expect(await instance.metric(/^fairlead_rate_limiter_degraded /)).toBe(row.isAlone);
      expect((await instance.client.request('GET', '/api/rates/usdc-ngn')).status).toBe(200);
      // A scheduled run may be under way.
      const answer = await waitFor(async () => {
        const latest = await reconcile(instance);
        expect(latest.status).toBe(row.reconciles);
        return latest;
      });
      if (row.reconciles === 200) return;
      expect(answer.headers.get('retry-after')).toBe('10');
      expect(answer.body).toMatchObject({
        code: 'NOT_READY',
        message: expect.stringMatching(/no job runs here/),
      });
      // Nor does the schedule run it, whose attempts are counted.
      await waitFor(async () => {
        const runs = await instance.metric(
          /^fairlead_job_runs_total\{task="reconcile",outcome="wrong_clock"\}/,
        );
        expect(runs).toBeGreaterThan(0);
      });
      expect((await reconcile(right)).status).toBe(200);
    } finally {
      await instance.stop();
    }
  },
);
