import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import type { DeliveryDocument } from '../../../server/webhooks/delivery.rules.js';
import { type DeliveryFixture, openDeliveries } from '../../fixtures/webhooks/delivery-fixture.js';
import type { KilledTask } from '../../fixtures/webhooks/killed-process.js';
import { type Received, type Receiver, startReceiver } from '../../fixtures/webhooks/receiver.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { buildWorker, type Worker } from '../../support/worker-processes.js';

const claimMs = 20_000;
const events = 3;

let mongod: PrivateMongo;
let startProcess: (task: KilledTask) => Worker;
let fixture: DeliveryFixture;
let to: Receiver;
/** The status of the next answer. */
let answer: (delivery: Received) => number = () => 200;

beforeAll(async () => {
  mongod = await privateMongo();
  to = await startReceiver((response, delivery) => response.writeHead(answer(delivery)).end());
  const uri = withDatabase(mongod.uri, 'killed');
  fixture = await openDeliveries({ uri, allow: [to.origin] });
  startProcess = await buildWorker(new URL('../../fixtures/webhooks/killed-process.ts', import.meta.url));
});
afterAll(async () => {
  await fixture?.close();
  await to?.stop();
  await mongod?.stop();
});

interface Job {
  task: KilledTask['job'];
  answer?: () => (delivery: Received) => number;
  prepare?: () => Promise<void>;
  /** What must be so once another process has done the rest; `told` is what the killed one acknowledged. */
  check: (told: string) => Promise<void>;
}

const subscribe = async () => {
  for (const path of ['/one', '/two']) await fixture.register(to.origin + path);
  await fixture.emitTicks(...Array.from({ length: events }, (_, index) => index + 1));
};
/** Fails the first POST of each delivery. */
const failsOnce = () => {
  const failed = new Set<string>();
  return ({ path, headers }: Received) => {
    const key = `${path} ${headers['webhook-id']}`;
    if (failed.has(key)) return 200;
    failed.add(key);
    return 503;
  };
};

const jobs: Record<string, Job> = {
  'registers a webhook': {
    task: 'register',
    async check(told) {
      const { items } = await fixture.webhooks.list({});
      const id = told.trim();
      expectFor('one registration', items.length).toBeLessThanOrEqual(1);
      if (id !== '') expect(items.map((webhook) => webhook.id)).toEqual([id]);
      await fixture.emitTicks(1);
      await fixture.deliverAllDue();
      expect(to.received).toHaveLength(items.length);
    },
  },
  'makes, sends and records deliveries': {
    task: 'deliver',
    prepare: subscribe,
    check: () => expectDelivered(2 * events),
  },
  'records failures': {
    task: 'deliver',
    prepare: subscribe,
    answer: failsOnce,
    check: () => expectDelivered(2 * events),
  },
  'holds what a webhook refuses': {
    task: 'deliver',
    prepare: subscribe,
    answer: () => () => 410,
    async check() {
      // Each has refused once and got nothing more; what was held is sent once the webhook is enabled.
      const refused = (await stored()).filter(({ state }) => state === 'refused');
      for (const { id, enabled } of (await fixture.webhooks.list({})).items) {
        expect(enabled).toBe(false);
        expectFor('refused', refused.filter(({ webhookId }) => webhookId === id).length).toBeLessThanOrEqual(
          1,
        );
        await fixture.webhooks.update(id, { enabled: true });
      }
      answer = () => 200;
      await fixture.deliverAllDue();
      await expectDelivered(2 * events - refused.length, refused.length);
    },
  },
};

const stored = () => fixture.connection.collection<DeliveryDocument>('deliveries').find().toArray();

/** Every event has one delivery for each webhook, and none was sent again but after an attempt of unknown outcome. */
async function expectDelivered(delivered: number, refused = 0): Promise<void> {
  const urls = new Map(
    (await fixture.webhooks.list({})).items.map(({ id, url }) => [id, new URL(url).pathname]),
  );
  const rows = await stored();
  const states = rows.map(({ state }) => state).sort();
  expect(states).toEqual([...Array(delivered).fill('delivered'), ...Array(refused).fill('refused')]);
  expect(new Set(rows.map(({ webhookId, eventId }) => webhookId + eventId)).size).toBe(2 * events);
  for (const { webhookId, eventId, body, attempt, attempts } of rows) {
    const posts = to.received.filter(
      ({ path, headers }) => path === urls.get(webhookId) && headers['webhook-id'] === eventId,
    );
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length;
    expect(attempts).toHaveLength(attempt);
    expectFor('POSTs', posts.length).toBeGreaterThanOrEqual(attempt - unknown);
    expectFor('POSTs', posts.length).toBeLessThanOrEqual(attempt);
    for (const post of posts) expect(post.body).toBe(body);
  }
  expect(to.faults).toEqual([]);
}

/** Does what a process left: once its claims have expired, and after the longest delay before a third attempt. */
async function doTheRest(): Promise<void> {
  for (const ms of [claimMs, 60_000]) {
    await fixture.age(ms);
    await fixture.deliverAllDue();
  }
}

describe('nothing is lost, doubled or skipped where a process is killed', () => {
  it.each(Object.entries(jobs))(
    'at any step as it %s',
    async (_what, job) => {
      for (let strikeAt = 1; ; strikeAt += 1) {
        await fixture.clear();
        to.received.length = 0;
        answer = () => 200;
        await job.prepare?.();
        answer = job.answer?.() ?? answer;
        const { uri } = fixture;
        const { signal, code, output } = await startProcess({
          uri,
          job: job.task,
          origin: to.origin,
          strikeAt,
        }).ended;
        if (signal === null) expectFor(output, code).toBe(0);
        await doTheRest();
        await job.check(output);
        if (signal === null) {
          expectFor('steps', strikeAt).toBeGreaterThan(job.task === 'register' ? 2 : 10);
          return;
        }
      }
    },
    300_000,
  );
});
