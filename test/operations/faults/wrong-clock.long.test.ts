import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { samplerLease } from '../../../server/features/rate-history/sampler.js';
import { startTestApp, type TestApp, testCronSecret } from '../../support/app.js';
import { privateMongo, testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';
import { startWithWrongClock, type WrongClockInstance } from '../../support/wrong-clock.js';

const hourMs = 3_600_000;
const shifts = [25 * hourMs, -90_000, 61_000];
const { windowSeconds } = rateLimitClasses.default;
const database = testDatabase();

/** An instance on a machine with the right clock. It runs no jobs, so another instance has run any job that was run. */
let right: TestApp;
let wrong: WrongClockInstance[] = [];
let registered: IntentAnswer[] = [];

const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

let clients = 0;

/** A new address for each request: an instance may have drawn all remaining points of a client, which others then refuse. */
function ofNewClient() {
  clients += 1;
  return { 'x-forwarded-for': `198.51.100.${clients}` };
}

async function register(on: Pick<TestApp, 'client'>, expiresInMs: number) {
  const terms = {
    corridor: 'usdc-ngn',
    anchorId: 'harbour',
    account,
    sellAmount: '100',
    nonce: randomBytes(24).toString('base64url'),
    expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
  };
  const { status, body } = await on.client.request<IntentAnswer>('POST', '/api/intent/offramp', {
    headers: ofNewClient(),
    body: terms,
  });
  expect([status, body.status]).toEqual([201, 'pending']);
  return { intent: body, nonce: terms.nonce };
}

const each = <T>(work: (instance: WrongClockInstance, shiftMs: number) => Promise<T>): Promise<T[]> =>
  Promise.all(wrong.map((instance, index) => work(instance, shifts[index] ?? 0)));

/** The tokens of all leases except that of the rate samples, which the right instance takes although it runs no jobs. */
const tokens = async () => {
  const leases = right.connection.collection<{ _id: string; token: number }>('leases');
  const found = await leases.find({ _id: { $ne: samplerLease } }).toArray();
  return found.map(({ token }) => token);
};

const reconcile = ({ client }: WrongClockInstance) =>
  client.request<{ message: string }>('POST', '/api/reputation/reconcile', {
    headers: { authorization: `Bearer ${testCronSecret}` },
  });

beforeAll(async () => {
  right = await startTestApp({ uri: database.uri });
  registered = [(await register(right, hourMs)).intent, (await register(right, 20 * hourMs)).intent];
  wrong = await Promise.all(shifts.map((shiftMs) => startWithWrongClock(right, shiftMs)));
}, 120_000);
afterAll(async () => {
  await Promise.all(wrong.map((instance) => instance.stop()));
  await right?.close();
});

it('a clock that is set while the database is away changes nothing, then or afterwards', async () => {
  const mongo = await privateMongo();
  const beside = await startTestApp({ uri: mongo.uri });
  const instance = await startWithWrongClock(beside, 0);
  const rates = () => instance.client.request<{ asOf: string }>('GET', '/api/rates/usdc-ngn?amount=100');
  try {
    await waitFor(async () => expect((await rates()).status).toBe(200));
    mongo.freeze();
    try {
      await waitFor(async () => expect((await instance.ready()).status).toBe(503));
      for (const shiftMs of [25 * hourMs, -hourMs]) {
        instance.setClock(shiftMs);
        await waitFor(async () => {
          const offset = await instance.metric(/^fairlead_clock_offset_seconds /);
          expect(Math.abs(offset - shiftMs / 1_000)).toBeLessThan(1);
        });
        const { body, headers } = await waitFor(async () => {
          const answer = await rates();
          expect(answer.status).toBe(200);
          return answer;
        });
        expect(Math.abs(Date.parse(body.asOf) - Date.now())).toBeLessThan(60_000);
        const resetInMs = Number(headers.get('x-ratelimit-reset')) * 1_000 - Date.now();
        expect(resetInMs).toBeGreaterThan(-1_000);
        expect(resetInMs).toBeLessThan(windowSeconds * 1_000 + 1_000);
      }
    } finally {
      mongo.thaw();
    }
    await waitFor(async () => expect((await instance.ready()).status).toBe(200), { timeout: 30_000 });
    expect((await instance.ready()).body.warnings).toHaveLength(1);
    const { intent } = await register(instance, hourMs);
    expect(Math.abs(Date.parse(intent.createdAt) - Date.now())).toBeLessThan(5_000);
  } finally {
    await instance.stop();
    await beside.close();
    await mongo.stop();
  }
}, 180_000);

describe('instances whose clocks are 25 h ahead, 90 s behind and 61 s ahead', () => {
  it('say so in readiness and metric, and once in the log, and go on serving', async () => {
    await each(async (instance, shiftMs) => {
      await waitFor(() => expect(instance.clockLines()).toEqual(['warn']));
      const { status, body } = await instance.ready();
      expect(status).toBe(200);
      const [warning = ''] = body.warnings ?? [];
      const [, seconds, side] = /(\d+) s (ahead of|behind) the database/.exec(warning) ?? [];
      expect(side).toBe(shiftMs > 0 ? 'ahead of' : 'behind');
      expect(Math.abs(Number(seconds) - Math.abs(shiftMs) / 1_000)).toBeLessThanOrEqual(1);
      const offset = await instance.metric(/^fairlead_clock_offset_seconds /);
      expect(Math.abs(offset - shiftMs / 1_000)).toBeLessThan(1);
    });
    expect(await (await fetch(`${right.url}/readyz`)).json()).toEqual({ status: 'ready' });
  });

  it('run no job, by schedule or by request', async () => {
    await each(async (instance) => {
      const { status, body, headers } = await reconcile(instance);
      expect([status, headers.get('retry-after')]).toEqual([503, '10']);
      expect(body).toMatchObject({ code: 'NOT_READY', message: expect.stringContaining('no job runs here') });
      // The schedule runs no job either: its attempts are counted.
      await waitFor(async () => {
        const runs = await instance.metric(
          /^fairlead_job_runs_total\{task="reconcile",outcome="wrong_clock"\}/,
        );
        expect(runs).toBeGreaterThan(0);
      });
    });
    expect(new Set(await tokens())).toEqual(new Set([0]));
  });

  it('expire no pending intent early, and accept and attach what a right instance does', async () => {
    await each(async (instance) => {
      for (const { intentHash } of registered) {
        const path = `/api/intent/${intentHash}`;
        const { body } = await instance.client.request<IntentAnswer>('GET', path, { headers: ofNewClient() });
        expect(body.status).toBe('pending');
      }
      const { intent, nonce } = await register(instance, hourMs);
      expect(Math.abs(Date.parse(intent.createdAt) - Date.now())).toBeLessThan(5_000);
      const path = `/api/intent/${intent.intentHash}/transaction`;
      const anchorTransactionId = `attached-${intent.intentHash.slice(0, 16)}`;
      const attached = await instance.client.request('POST', path, {
        headers: ofNewClient(),
        body: { nonce, anchorTransactionId },
      });
      expect(attached.status).toBe(200);
    });
    for (const { intentHash } of registered) {
      const { body } = await right.client.request<IntentAnswer>('GET', `/api/intent/${intentHash}`);
      expect(body.status).toBe('pending');
    }
  });

  it('run jobs again once their clock is set right, and none after it is set wrong again', async () => {
    const [instance] = wrong as [WrongClockInstance];
    instance.setClock(0);
    await waitFor(() => expect(instance.clockLines()).toEqual(['warn', 'info']), { timeout: 30_000 });
    expect(await instance.ready()).toEqual({ status: 200, body: { status: 'ready' } });
    // A scheduled run may be under way.
    await waitFor(async () => expect((await reconcile(instance)).status).toBe(200));
    instance.setClock(-hourMs);
    await waitFor(async () => expect((await reconcile(instance)).status).toBe(503));
    await waitFor(() => expect(instance.clockLines()).toEqual(['warn', 'info', 'warn']), { timeout: 30_000 });
    const { intent } = await register(instance, hourMs);
    expect(Math.abs(Date.parse(intent.createdAt) - Date.now())).toBeLessThan(5_000);
  });
});
