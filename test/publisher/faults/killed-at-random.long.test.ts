import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import {
  type Behavior,
  type ReferenceOracle,
  startReferenceOracle,
} from '../../../scripts/reference-oracle/index.js';
import { untilAborted } from '../../../server/timing.js';
import {
  type PublisherInstance,
  publisherInstance,
  verifyLog,
} from '../../fixtures/publisher/publisher-instance.js';
import { buildChild, type Child, startChild } from '../../fixtures/publisher/publisher-workers.js';
import { testDatabase } from '../../support/database.js';
import { runSeed, seeded } from '../../support/seeded.js';

const rounds = 200;
/** The number of instances that tick at the same time; when one is killed, its replacement is already starting. */
const instances = 3;
const leaseTtlMs = 150;
const oracleTimeoutMs = 80;
/** Steps between kills; a tick has seven, so that some ticks end. Steps are counted because machines differ in speed. */
const mostSteps = 10;
const longestWaitMs = 600;
const longestDelayMs = 15;

const random = seeded(runSeed());
const database = testDatabase();
const children = new Set<Child>();
let oracle: ReferenceOracle;
let instance: PublisherInstance;
let built: Awaited<ReturnType<typeof buildChild>>;

beforeAll(async () => {
  built = await buildChild();
  oracle = await startReferenceOracle({ clock: Date.now });
  instance = await publisherInstance({ uri: database.uri, oracleUrl: oracle.url });
});
afterAll(async () => {
  for (const child of children) child.signal('SIGKILL');
  built.remove();
  await instance.close();
  await oracle.stop();
});

/** Half of the answers are correct; `late` is often later than any time limit. */
function anyBehavior(): Behavior {
  const roll = random();
  if (roll < 0.5) return 'honest';
  if (roll < 0.62) return 'fail';
  if (roll < 0.69) return 'hang';
  if (roll < 0.8) return 'lose';
  return roll < 0.9 ? 'twice' : { lateMs: Math.round(random() * 2 * oracleTimeoutMs) };
}

interface Seen {
  ticks: number;
  statuses: Set<string>;
  reasons: Set<string>;
}
const seen: Seen = { ticks: 0, statuses: new Set(), reasons: new Set() };

/** Aborted when an instance ends without having been killed. */
const crash = new AbortController();

/** Starts an instance that ticks forever; calls back whenever one of its ticks begins or ends. */
function launch(onTick: (child: Child, running: boolean) => void): Child {
  const child = startChild(built.program, {
    instance: {
      uri: database.uri,
      oracleUrl: oracle.url,
      leaseTtlMs,
      oracleTimeoutMs,
    },
    forever: true,
    reportSteps: true,
    pauseMs: 30,
  });
  children.add(child);
  child.gone.then((signal) => {
    children.delete(child);
    if (signal !== 'SIGKILL') crash.abort(new Error('an instance ended by itself'));
  });
  child.onReport((report) => {
    if ('step' in report && report.step === 'tick_noted') onTick(child, true);
    if ('tick' in report && report.tick.ran) {
      seen.ticks += 1;
      onTick(child, false);
    }
    if ('failed' in report) onTick(child, false);
  });
  return child;
}

/** Resolves when the child has reported this many more steps, or after a while, since another may hold the lease now. */
function passSteps(child: Child, steps: number): Promise<void> {
  if (steps === 0) return Promise.resolve();
  return new Promise((resolve) => {
    let passed = 0;
    const timer = setTimeout(resolve, longestWaitMs);
    child.onReport((report) => {
      if ('step' in report) passed += 1;
      if (passed < steps) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Repeatedly kills the instance that is in its tick, at a random moment. Returns how many died in a tick. */
async function killOver(times: number): Promise<number> {
  const inTick = new Set<Child>();
  let next: ((child: Child) => void) | undefined;
  const onTick = (child: Child, running: boolean) => {
    if (!running) inTick.delete(child);
    else {
      inTick.add(child);
      next?.(child);
    }
  };
  for (let count = 0; count < instances; count += 1) launch(onTick);
  let diedInTick = 0;
  for (let round = 0; round < times; round += 1) {
    const victim = await untilAborted(
      crash.signal,
      () =>
        new Promise<Child>((resolve) => {
          next = resolve;
        }),
    );
    next = undefined;
    await passSteps(victim, Math.floor(random() * mostSteps));
    await delay(random() * longestDelayMs);
    victim.signal('SIGKILL');
    launch(onTick);
    await victim.gone;
    if (inTick.delete(victim)) diedInTick += 1;
  }
  return diedInTick;
}

/** Checks what must hold of health at any moment, whichever process has just died. */
async function checkHealth(before: PublisherHealth | undefined): Promise<PublisherHealth> {
  const takenBefore = oracle.taken().length;
  const health = await instance.publisher.health();
  const latest = health.latest?.sequence ?? 0;
  const submitted = health.lastSubmission?.sequence ?? 0;
  // No receipt is shown that the oracle did not give, and the oracle has nothing that is not in the log.
  expect(submitted).toBeLessThanOrEqual(oracle.taken().length);
  expect(takenBefore).toBeLessThanOrEqual(latest);
  const taken = oracle.taken()[submitted - 1];
  if (submitted > 0) expect(health.lastSubmission?.headerHash).toBe(taken?.receipt.headerHash);
  expect(health.pending).toBe(latest - submitted);
  expect(health.pending).toBeLessThanOrEqual(1);
  expect(health.status === 'failing').toBe(health.consecutiveFailures > 0);
  expect(health.status === 'ok' || health.status === 'idle' || health.reason !== null).toBe(true);
  expect(latest).toBeGreaterThanOrEqual(before?.latest?.sequence ?? 0);
  expect(submitted).toBeGreaterThanOrEqual(before?.lastSubmission?.sequence ?? 0);
  seen.statuses.add(health.status);
  if (health.reason !== null) seen.reasons.add(health.reason);
  return health;
}

it(`survives ${rounds} kills under an oracle that fails, hangs, answers late and twice`, async () => {
  oracle.behaveAlways(anyBehavior);
  let finished = false;
  let checks = 0;
  const watching = (async () => {
    let health: PublisherHealth | undefined;
    for (; !finished; checks += 1) {
      health = await checkHealth(health);
      await delay(20);
    }
  })();
  const diedInTick = await killOver(rounds).finally(() => {
    finished = true;
  });
  await watching;
  expect(diedInTick).toBeGreaterThan(rounds / 3);
  expect(checks).toBeGreaterThan(rounds);
  expect([...seen.statuses].sort()).toEqual(expect.arrayContaining(['failing', 'ok']));
  expect([...seen.reasons]).toEqual(expect.arrayContaining(['interrupted']));

  for (const child of children) child.signal('SIGKILL');
  await Promise.all([...children].map(({ gone }) => gone));
  oracle.behaveAlways(() => 'honest');
  await instance.tickSoon();
  expect(await instance.publisher.health()).toMatchObject({ status: 'ok', pending: 0 });

  // The oracle has each sequence of the log once, in order; each has one event, in order.
  const batches = await verifyLog(instance.publisher);
  const sequences = batches.map(({ header }) => header.sequence);
  expect(oracle.taken().map(({ header }) => header.sequence)).toEqual(sequences);
  expect(oracle.taken().map(({ receipt }) => receipt)).toEqual(batches.map(({ receipt }) => receipt));
  const events = (await instance.events()) as { sequence: number; submitted: boolean }[];
  expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(sequences);
  expect(events.every(({ submitted }) => submitted)).toBe(true);
  expect(sequences.length).toBeGreaterThan(rounds / 10);

  // At most the entries of the tick that died last are left beside those of the batches.
  const stored = await instance.stored.entries.distinct('_id');
  expect([sequences.length, sequences.length + 1]).toContain(stored.length);
}, 600_000);
