import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import type { DeliveryDocument } from '../../../server/deliveries/delivery.rules.js';
import { openDeliveries, secret } from '../../fixtures/deliveries/delivery-fixture.js';
import { type Cause, eventsPerCause, type WorkerTask } from '../../fixtures/deliveries/delivery-worker.js';
import { keepRunning, type Workers } from '../../fixtures/deliveries/delivery-workers.js';
import { outboxOf } from '../../fixtures/deliveries/emit.js';
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

/** Events of each of the two runs; `WEBHOOK_KILL_EVENTS=10000` for a longer look. */
const eventsPerRun = Number(process.env.WEBHOOK_KILL_EVENTS ?? 2_000);
/** Decides when processes are killed and how the receiver answers; what the processes do in between still varies. */
const seed = runSeed();
/** The production limits, but a tenth as long and with quick retries, since waiting shows nothing. */
const limits = {
  claimMs: 1_500,
  startsWithinMs: 300,
  aheadMs: 150,
  timeoutMs: 400,
  retry: { baseMs: 50, factor: 2, maxMs: 200, jitter: 0.2 },
  easedRestMs: 10,
};
/** About ten times the usual duration, for slow and busy machines. */
const giveUpAfterMs = 900_000;

let mongod: PrivateMongo;
let startWorker: (task: WorkerTask) => Worker;
beforeAll(async () => {
  mongod = await privateMongo();
  startWorker = await buildWorker(new URL('../../fixtures/deliveries/delivery-worker.ts', import.meta.url));
});
afterAll(() => mongod.stop());

/** `/steady` acknowledges. `/flaky` does so two times in three, and otherwise fails in one of several ways. */
function answering(random: () => number): Respond {
  return (response, { path }) => {
    const chance = path === '/flaky' ? random() : 0;
    if (chance < 0.7) response.writeHead(200).end();
    else if (chance < 0.85) response.writeHead(503).end('busy');
    else if (chance < 0.9) response.destroy();
    else if (chance < 0.97) setTimeout(() => response.writeHead(204).end(), 100);
    // The remaining requests are never answered.
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

async function run(changeStream: boolean) {
  const uri = withDatabase(mongod.uri, `killed-${changeStream}`);
  const to = await startReceiver(answering(seeded(seed)));
  const fixture = await openDeliveries({ uri, allow: [to.origin] });
  const causes = fixture.connection.collection<Cause>('causes');
  await causes.insertOne({ _id: 'none', beganAtMs: 0, eventIds: [] });
  const base = { uri, origin: to.origin, changeStream, pollMs: 200, limits };
  const random = seeded(seed + 1);
  const strikeWithin = (steps: number) => 20 + Math.floor(random() * steps);

  await fixture.register(`${to.origin}/steady`);
  await fixture.register(`${to.origin}/flaky`);
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

  const written = async () => eventsPerCause * (await causes.countDocuments());
  await until(async () => (await written()) > eventsPerRun / 2);
  const before = await causes.find().toArray();
  const late = await fixture.register(`${to.origin}/late`);
  const registeredAtMs = Date.now();
  await until(async () => (await written()) > eventsPerRun);
  await Promise.all(writers.map((workers) => workers.end()));

  const outbox = outboxOf(fixture.connection);
  const deliveries = fixture.connection.collection<DeliveryDocument>('deliveries');
  await until(async () => (await outbox.countDocuments({ open: true })) === 0);
  await until(async () => (await deliveries.countDocuments({ open: true })) === 0);
  const complaints = await Promise.all(deliverers.map((workers) => workers.end()));

  const result = {
    to,
    lateId: late.id,
    before: new Set(before.flatMap(({ eventIds }) => eventIds)),
    registeredAtMs,
    caused: (await causes.find().toArray()).flatMap(({ beganAtMs, eventIds }) =>
      eventIds.map((eventId) => ({ beganAtMs, eventId })),
    ),
    events: await outbox.find().toArray(),
    rows: await deliveries.find().toArray(),
    webhooks: (await fixture.webhooks.list({})).items,
    killed: total(deliverers, 'killed') + total(writers, 'killed'),
    paused: total(deliverers, 'paused'),
    complaints: complaints.join(''),
  };
  await fixture.close();
  await to.stop();
  return result;
}

function total(all: readonly Workers[], what: 'killed' | 'paused'): number {
  return all.reduce((sum, workers) => sum + workers[what], 0);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const givingUpAt = performance.now() + giveUpAfterMs;
  while (!(await done())) {
    if (performance.now() > givingUpAt) throw new Error(`not so after ${giveUpAfterMs / 1_000} s: ${done}`);
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
  ['without change streams, by the poll alone', false],
])('two instances that are killed and stopped at random, %s', (_how, changeStream) => {
  it(`send each of ${eventsPerRun} events to every webhook subscribed at its commit, in at most 4 equal POSTs`, async () => {
    const { to, rows, events, caused, webhooks, lateId, before, registeredAtMs, ...rest } =
      await run(changeStream);
    expect(rest.killed).toBeGreaterThan(eventsPerRun / 600);
    expect(rest.paused).toBeGreaterThan(0);
    expect(rest.complaints).toBe('');

    // There is one event for each committed cause, and no other.
    expect(caused.length).toBeGreaterThanOrEqual(eventsPerRun);
    expect(events.map(({ _id }) => _id).sort()).toEqual(caused.map(({ eventId }) => eventId).sort());
    const rowOf = new Map(rows.map((row) => [`${row.webhookId} ${row.eventId}`, row]));
    expect(rowOf.size).toBe(rows.length);

    // There is one delivery for each webhook that was registered at the commit.
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

    // Each delivery ended, and each delivery marked as delivered was received.
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
