import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import type { Task } from '../../fixtures/reputation/aggregator-worker.js';
import { anchor, type TestFleet } from '../../fixtures/reputation/fleet-view.js';
import { failed, settled } from '../../fixtures/reputation/foldable-intents.js';
import {
  type Books,
  insertIntents,
  openBooks,
  openFeature,
  totals,
} from '../../fixtures/reputation/outcome-books.js';
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

async function prepared(name: string) {
  const uri = withDatabase(mongod.uri, name);
  const books = await openBooks(uri, { leaseTtlMs, batchSize });
  await insertIntents(books, intents, (index) => ({
    account: `G${index}`,
    anchorId: index % 2 ? 'harbour' : 'squall',
    outcome: index % 3 === 0 ? failed() : settled({ shortfallPpb: 7 }),
  }));
  const work = (job: Task['job'], strike: Task['strike']) =>
    startWorker({ uri, job, leaseTtlMs, batchSize, fleet, strike });
  return { books, work };
}

/** Lets the next worker finish what the last one left, then looks at every number there is. */
async function foldsToTheEnd(books: Books): Promise<void> {
  await eventually(async () => {
    const run = await books.folder.fold();
    const left = await books.store.intents.countDocuments({ unfolded: true });
    return run.ran && left === 0 ? true : undefined;
  });
  await countsEverythingOnce(books);
}

async function countsEverythingOnce(books: Books): Promise<void> {
  expect(await totals(books.store)).toMatchObject({ ...expected, shortfallPpb: 140 });
  const rebuilt = await eventually(async () => {
    const run = await books.rebuilder.rebuild({ adopt: false });
    return run.ran ? run.value : undefined;
  });
  expect(rebuilt).toMatchObject({ intents, differing: 0, stale: 0 });
}

/**
 * Strikes one worker before its first command, another before its second, and so on, a few at a time, until one ends
 * before it is struck; then looks at what each of them left behind. Returns how many were struck.
 */
async function atEveryStep(
  job: Task['job'],
  prepare: (name: string) => ReturnType<typeof prepared>,
  check: (books: Books) => Promise<void>,
): Promise<number> {
  const left: Books[] = [];
  let struck = 0;
  let unharmed = 0;
  for (let first = 1; unharmed === 0 && first < 80; first += atOnce) {
    const steps = Array.from({ length: atOnce }, (_, index) => first + index);
    const ends = steps.map(async (step) => {
      const { books, work } = await prepare(`${job}-killed-${step}`);
      left.push(books);
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
  for (const books of left) {
    await check(books);
    await books.close();
  }
  return struck;
}

describe('a folder', () => {
  it('killed before any of its commands leaves nothing lost and nothing counted twice', async () => {
    const struck = await atEveryStep('fold', prepared, foldsToTheEnd);
    // Three batches of eight commands at least: the kill was tried inside and between transactions.
    expect(struck).toBeGreaterThan(24);
  }, 240_000);

  it.each([
    ['before its first write', 'update'],
    ['before it commits', 'commitTransaction'],
  ])(
    'stopped %s while another takes over changes nothing afterwards',
    async (_when, at) => {
      const { books, work } = await prepared(`fold-stopped-${at}`);
      const worker = work('fold', { at, signal: 'SIGSTOP' });
      await untilStopped(worker);
      await foldsToTheEnd(books);
      worker.process.kill('SIGCONT');
      expect((await worker.ended).code).not.toBe(0);
      await countsEverythingOnce(books);
      await books.close();
    },
    60_000,
  );

  it('run by four processes at once, two of them killed at random, counts everything once', async () => {
    const { books, work } = await prepared('fold-crowd');
    const kill = () => ({ at: 1 + Math.floor(random() * 30), signal: 'SIGKILL' as const });
    const crowd = [work('fold', null), work('fold', kill()), work('fold', null), work('fold', kill())];
    await Promise.all(crowd.map(({ ended }) => ended));
    await foldsToTheEnd(books);
    await books.close();
  }, 60_000);
});

describe('a refresh', () => {
  const withCards = async (name: string) => {
    const ready = await prepared(name);
    await openFeature(ready.books, { fleet, now: Date.now }).reputation.refreshNow();
    return ready;
  };

  async function readersSeeAWholeRun(books: Books): Promise<number> {
    const feature = openFeature(books, { fleet, now: Date.now });
    const board = await feature.reputation.getLeaderboard({
      corridor: null,
      window: 30,
      limit: undefined,
      cursor: undefined,
    });
    expect(board.items).toHaveLength(2);
    let cards = 0;
    for await (const card of feature.listCards(30)) cards += card.outcomes >= 0 ? 1 : 0;
    expect(cards).toBe(3);
    return (await books.store.state.findById('cards').lean())?.run ?? 0;
  }

  it('killed before any of its commands leaves the run in force whole, and the next one tidies up', async () => {
    const struck = await atEveryStep('refresh', withCards, async (books) => {
      const before = await readersSeeAWholeRun(books);
      const feature = openFeature(books, { fleet, now: Date.now });
      await eventually(() => feature.reputation.refreshNow());
      expect(await readersSeeAWholeRun(books)).toBeGreaterThan(before);
      const runs = await books.store.cards.distinct('run');
      expect(runs).toHaveLength(2);
      await countsEverythingOnce(books);
    });
    expect(struck).toBeGreaterThan(12);
  }, 240_000);

  it('stopped before it commits while another takes over does not put its older run in force', async () => {
    const { books, work } = await withCards('refresh-stopped');
    const worker = work('refresh', { at: 'commitTransaction', signal: 'SIGSTOP' });
    await untilStopped(worker);
    const feature = openFeature(books, { fleet, now: Date.now });
    await eventually(() => feature.reputation.refreshNow());
    const run = await readersSeeAWholeRun(books);
    worker.process.kill('SIGCONT');
    expect((await worker.ended).code).not.toBe(0);
    expect(await readersSeeAWholeRun(books)).toBe(run);
    await books.close();
  }, 60_000);

  it('run by two processes at once is run by one of them', async () => {
    const { books, work } = await withCards('refresh-crowd');
    const ended = await Promise.all([work('refresh', null).ended, work('refresh', null).ended]);
    expect(ended).toContainEqual(expect.objectContaining({ code: 0 }));
    for (const { code, output } of ended) {
      if (code !== 0) expect(output).toContain('Another refresh is running.');
    }
    await readersSeeAWholeRun(books);
    await books.close();
  }, 60_000);
});

describe('while the database does not answer', () => {
  it('what was asked for before is served on, and anything else fails within its time limit', async () => {
    const { books } = await prepared('frozen');
    let now = Date.now();
    const feature = openFeature(books, { fleet, now: () => now });
    await feature.reputation.refreshNow();
    const query = { corridor: null, limit: undefined, cursor: undefined };
    const before = await feature.reputation.getLeaderboard({ ...query, window: 30 });
    mongod.freeze();
    try {
      now += 60_000;
      expect(await feature.reputation.getLeaderboard({ ...query, window: 30 })).toBe(before);
      const startedAt = performance.now();
      const other = feature.reputation.getLeaderboard({ ...query, window: 7 });
      expect(await other.then(() => null, isMongoUnavailable)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(6_000);
    } finally {
      mongod.thaw();
    }
    const after = await feature.reputation.getLeaderboard({ ...query, window: 7 });
    expect(after.items).toHaveLength(2);
    await books.close();
  }, 30_000);
});
