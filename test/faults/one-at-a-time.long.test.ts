import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ServiceProcess } from '../fixtures/edge/service-process.js';
import {
  beginOffRamp,
  type Job,
  jobPaths,
  metricOf,
  type OffRamp,
  run,
  startSeveral,
  statusOf,
  watchLeases,
} from '../fixtures/faults/several-instances.js';
import { settled, storeOutcomes, withOutcome } from '../fixtures/reputation/stored-outcomes.js';
import { expectFor } from '../support/expect-for.js';
import { waitFor } from '../support/wait-for.js';

/** The longest term of a lease, plus a margin for a busy machine. */
const takenOverWithinMs = 30_000 + 15_000;
const rounds = 10;
const leaseOf = { tick: 'publisher', reconcile: 'reconcile', observe: 'observer' } as const;
const jobs = Object.keys(leaseOf) as (keyof typeof leaseOf)[];
const polls = 'GET /sep24/transaction';
const asksOfObserver = 'GET /sep38/info';
/** The requests that the anchors have received and do not answer. */
const held: ServerResponse[] = [];

const service = await startSeveral(3);
afterAll(service.stop, 60_000);
const [killed, frozen, left] = service.instances as [ServiceProcess, ServiceProcess, ServiceProcess];
// Waits for the first scheduled tick, so that none comes in between later.
for (const instance of service.instances)
  await waitFor(async () => expect(await runsOf(instance, 'tick')).toBeGreaterThan(0), { timeout: 60_000 });
const leases = await watchLeases(service.uri, service.instances);
afterAll(async () => {
  answerAgain();
  await leases.close();
});

function holdAnswers(): void {
  for (const route of [polls, asksOfObserver])
    for (const anchor of service.anchors.anchors)
      anchor.override(route, (_request, response) => void held.push(response));
}

function answerAgain(): void {
  for (const anchor of service.anchors.anchors)
    for (const route of [polls, asksOfObserver]) anchor.override(route, null);
  for (const response of held.splice(0)) response.destroy();
}

/** Requests the job until this instance has done it, and returns how long that took. */
async function untilDone(instance: ServiceProcess, job: Job, timeout: number): Promise<number> {
  const from = performance.now();
  await waitFor(async () => expect(await run(instance, job)).toMatchObject({ status: 200 }), {
    timeout,
    interval: 500,
  });
  return performance.now() - from;
}

/** Waits until a tick of this instance waits for the oracle. The instance sees new scores within seconds. */
async function untilSubmitting(instance: ServiceProcess): Promise<void> {
  const arrived = service.oracle.arrivals().length;
  await waitFor(
    () => {
      void run(instance, 'tick');
      expect(service.oracle.arrivals().length).toBeGreaterThan(arrived);
    },
    { timeout: 30_000, interval: 500 },
  );
}

const eventsBySequence = async () => {
  const events = await leases.db.collection('outbox').find({ event: 'publisher.tick' }).toArray();
  return events.map(({ data }) => data.sequence as number).sort((a, b) => a - b);
};

const observed = () => leases.db.collection('observed_anchors').find().sort({ _id: 1 }).toArray();

describe('three instances, each with its scheduler on', () => {
  let waiting: OffRamp;

  it('refresh the scores on one of them at a time, however often they are asked to', async () => {
    const refreshes: { fromMs: number; toMs: number }[] = [];
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) {
      const asked = service.instances.flatMap((instance) => [
        run(instance, 'refresh'),
        run(instance, 'refresh'),
      ]);
      for (const { status, body } of await Promise.all(asked)) {
        expect([200, 409]).toContain(status);
        if (status === 409) refused += 1;
        const fromMs = Date.parse(body?.startedAt ?? '');
        if (status === 200) refreshes.push({ fromMs, toMs: fromMs + (body?.durationMs ?? Number.NaN) });
      }
    }
    expect(refused).toBeGreaterThan(rounds);
    expect(refreshes.length).toBeGreaterThanOrEqual(rounds);
    refreshes.sort((a, b) => a.fromMs - b.fromMs);
    // Both times are whole milliseconds.
    for (const [place, { fromMs }] of refreshes.entries())
      expect(fromMs).toBeGreaterThanOrEqual((refreshes[place - 1]?.toMs ?? 0) - 1);
  }, 120_000);

  it('tick, reconcile and observe on one of them at a time', async () => {
    await newScores('harbour', left);
    service.oracle.behaveAlways(() => 'hang');
    holdAnswers();
    await untilSubmitting(killed);
    void run(frozen, 'observe');
    await waitFor(async () => {
      expect(await leases.holderOf('publisher')).toBe(killed);
      expect(await leases.holderOf('observer')).toBe(frozen);
    });
    // Attaching a transaction makes its instance poll the anchor at once.
    waiting = await beginOffRamp(frozen, service.anchors);
    await waitFor(async () => expect(await leases.holderOf('reconcile')).toBe(frozen));
    for (const job of jobs)
      await waitFor(
        async () => {
          // On a busy machine the run that held the lease may have ended: then another one begins.
          const isHeld = async () => (await leases.holderOf(leaseOf[job])) !== undefined;
          if (!(await isHeld())) void run(job === 'tick' ? killed : frozen, job);
          await waitFor(async () => expect(await isHeld()).toBe(true));
          const answers = await Promise.all(service.instances.map((each) => run(each, job)));
          expectFor(jobPaths[job], answers).toMatchObject(Array(3).fill({ status: 409 }));
        },
        { timeout: 90_000 },
      );
  }, 300_000);

  it('pass every job on when its holder is killed or frozen, and what it left is done once', async () => {
    const holders = await Promise.all(jobs.map((job) => leases.holderOf(leaseOf[job])));
    await killed.end('SIGKILL');
    frozen.freeze();
    service.oracle.behaveAlways(() => 'honest');
    answerAgain();
    waiting.complete();
    const took = await Promise.all(jobs.map((job) => untilDone(left, job, takenOverWithinMs)));
    // Nobody may take over the leases that those two held before their terms end.
    for (const [place, ms] of took.entries())
      if (holders[place] === killed || holders[place] === frozen) expect(ms).toBeGreaterThan(2_000);
    await waitFor(
      async () => {
        await run(left, 'reconcile');
        expect(await statusOf(left, waiting)).toBe('settled');
      },
      { timeout: 60_000, interval: 500 },
    );
    // The schedule alone does this.
    await waitFor(async () => expect(await metricOf(left, 'fairlead_reputation_marks')).toBe(0), {
      timeout: 60_000,
    });
    await untilDone(left, 'refresh', 30_000);

    const before = await observed();
    frozen.thaw();
    await delay(3_000);
    expect(await observed()).toEqual(before);
    for (const job of jobs) await untilDone(frozen, job, 30_000);
    const taken = service.oracle.taken().map(({ header }) => header.sequence);
    expect(taken).toEqual(taken.map((_, index) => index + 1));
    expect(taken.length).toBeGreaterThan(0);
    expect(await eventsBySequence()).toEqual(taken);
  }, 240_000);
});

/** Creates scores that the next tick has to publish: those of an anchor that had none before. */
async function newScores(anchorId: string, by: ServiceProcess): Promise<void> {
  const intents = Array.from({ length: 40 }, (_, index) => {
    const recordedAt = new Date(Date.now() - (index % 7) * 86_400_000);
    return withOutcome({ anchorId, account: `G${anchorId}${index}`, outcome: settled({ recordedAt }) });
  });
  await storeOutcomes(leases.db, intents);
  await untilDone(by, 'refresh', 30_000);
}

function runsOf(instance: ServiceProcess, task: string) {
  return metricOf(instance, 'fairlead_job_runs_total', `task="${task}"`);
}
