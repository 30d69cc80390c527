import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { type OutboxRow, outboxModel } from '../../../server/features/webhooks/outbox.js';
import { type DeliveryRow, deliveryModel } from '../../../server/features/webhooks/store.js';
import { openWebhooks, secret } from '../../fixtures/deliveries/delivery-instance.js';
import { type Cause, eventsACause, type Task } from '../../fixtures/deliveries/dispatcher-worker.js';
import { type Crew, keepRunning } from '../../fixtures/deliveries/dispatcher-workers.js';
import {
  type Received,
  type Receiver,
  type Respond,
  startReceiver,
} from '../../fixtures/deliveries/receiver.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed, seeded } from '../../support/seeded.js';
import { buildWorker, type Worker } from '../../support/worker-processes.js';

/** Events of each of the two runs; fewer, to try something, by `WEBHOOK_KILL_EVENTS`. */
const eventsARun = Number(process.env.WEBHOOK_KILL_EVENTS ?? 10_000);
/** Of when processes are killed and how the receiver answers. What they then do by themselves is never quite the same. */
const seed = runSeed();
/** As in production, but a tenth as long, and retries at once: there is nothing to be learnt from waiting. */
const limits = {
  claimMs: 1_500,
  startsWithinMs: 300,
  timeoutMs: 400,
  retry: { baseMs: 50, factor: 2, maxMs: 200, jitter: 0.2 },
  pollMs: 200,
  restMs: 10,
};
/** Some ten times what it takes: other machines are slow and busy, but what hangs must end. */
const giveUpAfterMs = 900_000;

let mongod: PrivateMongo;
let startWorker: (task: Task) => Worker;
beforeAll(async () => {
  mongod = await privateMongo();
  startWorker = await buildWorker(new URL('../../fixtures/deliveries/dispatcher-worker.ts', import.meta.url));
});
afterAll(() => mongod.stop());

/** `/steady` acknowledges; `/flaky` does so two times in three and has every other way of its own, too. */
function answering(random: () => number): Respond {
  return (response, { path }) => {
    const chance = path === '/flaky' ? random() : 0;
    if (chance < 0.7) response.writeHead(200).end();
    else if (chance < 0.85) response.writeHead(503).end('busy');
    else if (chance < 0.9) response.destroy();
    else if (chance < 0.97) setTimeout(() => response.writeHead(204).end(), 100);
    // Else it never answers.
  };
}

/** POSTs by webhook path and event id. */
function byDelivery(received: readonly Received[]): Map<string, Received[]> {
  const groups = new Map<string, Received[]>();
  for (const post of received) {
    const key = `${post.path} ${post.headers['webhook-id']}`;
    groups.set(key, [...(groups.get(key) ?? []), post]);
  }
  return groups;
}

async function run(changeStreams: boolean) {
  const uri = withDatabase(mongod.uri, `killed-${changeStreams}`);
  const to = await startReceiver(answering(seeded(seed)));
  const harness = await openWebhooks({ uri, allow: [to.origin] });
  const causes = harness.connection.collection<Cause>('causes');
  await causes.insertOne({ _id: 'none', beganAtMs: 0, eventIds: [] });
  const base = { uri, origin: to.origin, changeStreams, limits };
  const random = seeded(seed + 1);
  const strikeWithin = (steps: number) => 20 + Math.floor(random() * steps);

  await harness.register(`${to.origin}/steady`);
  await harness.register(`${to.origin}/flaky`);
  let started = 0;
  const deliverer = () =>
    startWorker({
      ...base,
      job: 'deliver',
      strikeAt: strikeWithin(started < 2 ? 500 : 3_000),
      signal: started++ % 4 === 0 ? 'SIGSTOP' : 'SIGKILL',
    });
  const writer = () =>
    startWorker({ ...base, job: 'cause', strikeAt: strikeWithin(4_000), signal: 'SIGKILL' });
  const pausedForMs = 2 * limits.claimMs;
  const deliverers = [keepRunning(deliverer, pausedForMs), keepRunning(deliverer, pausedForMs)];
  const writers = [keepRunning(writer, pausedForMs)];

  const written = async () => eventsACause * (await causes.countDocuments());
  await until(async () => (await written()) > eventsARun / 2);
  const before = await causes.find().toArray();
  const late = await harness.register(`${to.origin}/late`);
  const registeredAtMs = Date.now();
  await until(async () => (await written()) > eventsARun);
  await Promise.all(writers.map((crew) => crew.dismiss()));

  const outbox = outboxModel(harness.connection);
  const deliveries = deliveryModel(harness.connection);
  await until(async () => (await outbox.countDocuments({ open: true })) === 0);
  await until(async () => (await deliveries.countDocuments({ open: true })) === 0);
  const complaints = await Promise.all(deliverers.map((crew) => crew.dismiss()));

  const result = {
    to,
    lateId: late.id,
    before: new Set(before.flatMap(({ eventIds }) => eventIds)),
    registeredAtMs,
    caused: (await causes.find().toArray()).flatMap(({ beganAtMs, eventIds }) =>
      eventIds.map((eventId) => ({ beganAtMs, eventId })),
    ),
    events: await outbox.find().lean<OutboxRow[]>(),
    rows: await deliveries.find().lean<DeliveryRow[]>(),
    webhooks: (await harness.admin.list({})).items,
    killed: total(deliverers, 'killed') + total(writers, 'killed'),
    paused: total(deliverers, 'paused'),
    complaints: complaints.join(''),
  };
  await harness.close();
  await to.stop();
  return result;
}

function total(crews: readonly Crew[], what: 'killed' | 'paused'): number {
  return crews.reduce((sum, crew) => sum + crew[what], 0);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const givingUpAt = performance.now() + giveUpAfterMs;
  while (!(await done())) {
    if (performance.now() > givingUpAt) throw new Error('it never came about');
    await delay(100);
  }
}

function expectGenuine(to: Receiver): void {
  expect(to.faults).toEqual([]);
  const forged = to.received.filter(
    ({ headers, body }) =>
      headers['x-fairlead-signature'] !== createHmac('sha256', secret).update(body).digest('hex'),
  );
  expect(forged).toEqual([]);
}

describe.each([
  ['woken by change streams', true],
  ['with change streams cut off, by the poll alone', false],
])('two dispatchers, killed and stopped at random, %s', (_how, changeStreams) => {
  it(`bring each of ${eventsARun} events to every webhook subscribed at its commit: 4 POSTs at most, all alike`, async () => {
    const { to, rows, events, caused, webhooks, lateId, before, registeredAtMs, ...rest } =
      await run(changeStreams);
    expect(rest.killed).toBeGreaterThan(eventsARun / 600);
    expect(rest.paused).toBeGreaterThan(0);
    expect(rest.complaints).toBe('');

    // An event for each cause that was committed, and for no other.
    expect(caused.length).toBeGreaterThanOrEqual(eventsARun);
    expect(events.map(({ _id }) => _id).sort()).toEqual(caused.map(({ eventId }) => eventId).sort());
    const rowOf = new Map(rows.map((row) => [`${row.webhookId} ${row.eventId}`, row]));
    expect(rowOf.size).toBe(rows.length);

    // A delivery for each webhook there was at the commit.
    const missing: string[] = [];
    let lateOnes = 0;
    for (const { eventId, beganAtMs } of caused) {
      for (const { id } of webhooks) {
        const made = rowOf.has(`${id} ${eventId}`);
        if (id !== lateId ? !made : beganAtMs > registeredAtMs && !made) missing.push(`${id} ${eventId}`);
        if (id === lateId && made) {
          lateOnes += 1;
          expectFor('committed before it was registered', before.has(eventId)).toBe(false);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(lateOnes).toBeGreaterThan(0);

    // Each ended, and what is delivered was received.
    const pathOf = new Map(webhooks.map(({ id, url }) => [id, new URL(url).pathname]));
    const posts = byDelivery(to.received);
    for (const row of rows) {
      const own = posts.get(`${pathOf.get(row.webhookId)} ${row.eventId}`) ?? [];
      expect(['delivered', 'exhausted']).toContain(row.state);
      expectFor('POSTs', own.length).toBeLessThanOrEqual(4);
      expect(row.attempt).toBeLessThanOrEqual(4);
      expect(row.attempts).toHaveLength(row.attempt);
      if (row.state === 'delivered') expect(own.length).toBeGreaterThan(0);
      else expect(row.attempt).toBe(4);
      for (const { body } of own) expect(body).toBe(row.body);
    }
    expect(posts.size).toBeLessThanOrEqual(rows.length);
    expectGenuine(to);
  }, 1_200_000);
});
