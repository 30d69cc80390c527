import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { failed, settled } from '../../fixtures/reputation/aggregatable-intents.js';
import {
  type AggregationFixture,
  insertIntents,
  openAggregationFixture,
  openFeature,
  totals,
} from '../../fixtures/reputation/aggregation-fixture.js';
import type { Task } from '../../fixtures/reputation/aggregator-worker.js';
import { anchor, type TestFleet } from '../../fixtures/reputation/fleet-view.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { runSeed, seeded } from '../../support/seeded.js';
import { buildWorker, eventually, untilStopped, type Worker } from '../../support/worker-processes.js';

const leaseTtlMs = 600;
const intents = 30;
const batchSize = 12;
const atOnce = 3;
const random = seeded(runSeed());
const fleet: TestFleet = {
  anchors: [anchor('harbour', ['usdc-ngn', 'usdc-kes']), anchor('squall', ['usdc-ngn'])],
  speedTargets: { 'usdc-ngn': 600, 'usdc-kes': 600 },
};
const expected = { filled: 20, notFilled: 10, accountDays: 30, quotedOutcomes: 20, settled: 20 };

let mongod: PrivateMongo;
let startWorker: (task: Task) => Worker;

beforeAll(async () => {
  mongod = await privateMongo();
  startWorker = await buildWorker<Task>(
    new URL('../../fixtures/reputation/aggregator-worker.ts', import.meta.url),
  );
});
afterAll(() => mongod.stop());

let databases = 0;

async function prepared(name: string) {
  // A retried test needs an empty database.
  databases += 1;
  const uri = withDatabase(mongod.uri, `${name}-${databases}`);
  const fixture = await openAggregationFixture(uri, { leaseTtlMs, batchSize });
  await insertIntents(fixture, intents, (index) => ({
    account: `G${index}`,
    anchorId: index % 2 ? 'harbour' : 'squall',
    outcome: index % 3 === 0 ? failed() : settled({ shortfallPpb: 7 }),
  }));
  const work = (job: Task['job'], strike: Task['strike']) =>
    startWorker({ uri, job, leaseTtlMs, batchSize, fleet, strike });
  return { fixture, work };
}

/** Lets the next worker finish what the last one left, then checks every number. */
async function aggregatesToTheEnd(fixture: AggregationFixture): Promise<void> {
  await eventually(async () => {
    const run = await fixture.aggregator.aggregate();
    const left = await fixture.stored.intents.countDocuments({ unfolded: true });
    return run.ran && left === 0 ? true : undefined;
  });
  await countsEverythingOnce(fixture);
}

async function countsEverythingOnce(fixture: AggregationFixture): Promise<void> {
  expect(await totals(fixture.store)).toMatchObject({ ...expected, shortfallPpb: 140 });
  const rebuilt = await eventually(async () => {
    const run = await fixture.rebuild({ adopt: false });
    return run.ran ? run.value : undefined;
  });
  expect(rebuilt).toMatchObject({ intents, differing: 0, stale: 0 });
}

/**
 * Strikes one worker before its first command, another before its second, and so on, a few at a time, until one ends before
 * it is struck; then checks what each of them left. Returns how many were struck.
 */
async function atEveryStep(
  job: Task['job'],
  prepare: (name: string) => ReturnType<typeof prepared>,
  check: (fixture: AggregationFixture) => Promise<void>,
): Promise<number> {
  const left: AggregationFixture[] = [];
  let struck = 0;
  let unharmed = 0;
  for (let first = 1; unharmed === 0 && first < 80; first += atOnce) {
    const steps = Array.from({ length: atOnce }, (_, index) => first + index);
    const ends = steps.map(async (step) => {
      const { fixture, work } = await prepare(`${job}-killed-${step}`);
      left.push(fixture);
      return work(job, { at: step, signal: 'SIGKILL' }).ended;
    });
    for (const { code, signal, output } of await Promise.all(ends)) {
      if (signal === 'SIGKILL') struck += 1;
      else {
        expect({ code, output }).toMatchObject({ code: 0 });
        unharmed += 1;
      }
    }
  }
  expect(unharmed).toBeGreaterThan(0);
  for (const fixture of left) {
    await check(fixture);
    await fixture.close();
  }
  return struck;
}

describe('an aggregator', () => {
  it('loses nothing and counts nothing twice when killed before any of its commands', async () => {
    const struck = await atEveryStep('aggregate', prepared, aggregatesToTheEnd);
    // There are three batches with at least eight commands: kills come inside and between transactions.
    expect(struck).toBeGreaterThan(24);
  }, 240_000);

  it.each([
    ['before its first write', 'update'],
    ['before it commits', 'commitTransaction'],
  ])(
    'changes nothing more when it was stopped %s and another took over',
    async (_when, at) => {
      const { fixture, work } = await prepared(`aggregate-stopped-${at}`);
      // Data that a database of an older release lacks is written before the first transaction, which this test strikes.
      await fixture.store.fillAccounts();
      const worker = work('aggregate', { at, signal: 'SIGSTOP' });
      await untilStopped(worker);
      await aggregatesToTheEnd(fixture);
      worker.process.kill('SIGCONT');
      const { code } = await worker.ended;
      // A commit that was already under way is valid; anything else under the lost lease fails.
      if (at === 'update') expect(code).not.toBe(0);
      await countsEverythingOnce(fixture);
      await fixture.close();
    },
    60_000,
  );

  it('counts everything once when four processes run it and two are killed at random', async () => {
    const { fixture, work } = await prepared('aggregate-crowd');
    const kill = () => ({ at: 1 + Math.floor(random() * 30), signal: 'SIGKILL' as const });
    const crowd = [
      work('aggregate', null),
      work('aggregate', kill()),
      work('aggregate', null),
      work('aggregate', kill()),
    ];
    await Promise.all(crowd.map(({ ended }) => ended));
    await aggregatesToTheEnd(fixture);
    await fixture.close();
  }, 60_000);
});

describe('a refresh', () => {
  const withCards = async (name: string) => {
    const ready = await prepared(name);
    await openFeature(ready.fixture, { fleet, now: Date.now }).service.refreshNow();
    return ready;
  };

  async function readersSeeAWholeRun(fixture: AggregationFixture): Promise<number> {
    const feature = openFeature(fixture, { fleet, now: Date.now });
    const board = await feature.service.getLeaderboard({
      corridor: null,
      window: 30,
      limit: undefined,
      cursor: undefined,
    });
    expect(board.items).toHaveLength(2);
    let cards = 0;
    for await (const card of feature.by.v1.listEveryCard(30)) cards += card.outcomes >= 0 ? 1 : 0;
    expect(cards).toBe(3);
    return (await fixture.stored.state.findOne({ _id: 'cards' }))?.run ?? 0;
  }

  it('leaves the run in force complete when killed before any of its commands, and the next one cleans up', async () => {
    const struck = await atEveryStep('refresh', withCards, async (fixture) => {
      const before = await readersSeeAWholeRun(fixture);
      const feature = openFeature(fixture, { fleet, now: Date.now });
      await eventually(() => feature.service.refreshNow());
      expect(await readersSeeAWholeRun(fixture)).toBeGreaterThan(before);
      await feature.service.refreshNow();
      const runs = await fixture.stored.cards.distinct('run');
      // The run in force and two before it; the killed one has left nothing.
      expect(runs).toHaveLength(3);
      await countsEverythingOnce(fixture);
    });
    expect(struck).toBeGreaterThan(12);
  }, 240_000);

  it('does not put an older run in force after it was stopped and another took over', async () => {
    const { fixture, work } = await withCards('refresh-stopped');
    const worker = work('refresh', { at: 'commitTransaction', signal: 'SIGSTOP' });
    await untilStopped(worker);
    const feature = openFeature(fixture, { fleet, now: Date.now });
    await eventually(() => feature.service.refreshNow());
    const run = await readersSeeAWholeRun(fixture);
    worker.process.kill('SIGCONT');
    expect((await worker.ended).code).not.toBe(0);
    expect(await readersSeeAWholeRun(fixture)).toBe(run);
    await fixture.close();
  }, 60_000);

  it('runs in only one of two processes that start it at once', async () => {
    const { fixture, work } = await withCards('refresh-crowd');
    const ended = await Promise.all([work('refresh', null).ended, work('refresh', null).ended]);
    expect(ended).toContainEqual(expect.objectContaining({ code: 0 }));
    for (const { code, output } of ended) {
      if (code !== 0) expect(output).toContain('Another refresh is running.');
    }
    await readersSeeAWholeRun(fixture);
    await fixture.close();
  }, 60_000);
});

describe('while the database does not answer', () => {
  it('still serves what was read before, and fails anything else within its time limit', async () => {
    const { fixture } = await prepared('frozen');
    let now = Date.now();
    const feature = openFeature(fixture, { fleet, now: () => now });
    await feature.service.refreshNow();
    const query = { corridor: null, limit: undefined, cursor: undefined };
    const before = await feature.service.getLeaderboard({ ...query, window: 30 });
    mongod.freeze();
    try {
      now += 60_000;
      expect(await feature.service.getLeaderboard({ ...query, window: 30 })).toBe(before);
      const startedAt = performance.now();
      const other = feature.service.getLeaderboard({ ...query, window: 7 });
      expect(await other.then(() => null, isMongoUnavailable)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(6_000);
    } finally {
      mongod.thaw();
    }
    const after = await feature.service.getLeaderboard({ ...query, window: 7 });
    expect(after.items).toHaveLength(2);
    await fixture.close();
  }, 30_000);
});
