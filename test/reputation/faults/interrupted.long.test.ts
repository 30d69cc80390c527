import { afterAll, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import {
  anchor,
  type FeatureFixture,
  insertOutcomes,
  openFeature,
  openReputationParts,
  type ReputationParts,
  type TestFleet,
} from '../../fixtures/reputation/reputation-parts.js';
import { anyOutcome, noon } from '../../fixtures/reputation/stored-outcomes.js';
import { privateMongo } from '../../support/database.js';
import { runSeed, seeded } from '../../support/seeded.js';
import { buildWorker, eventually, type Worker } from '../../support/worker-processes.js';
import type { Task } from './reputation-worker.js';

const leaseTtlMs = 600;
const outcomes = 120;
const random = seeded(runSeed());
const fleet: TestFleet = {
  anchors: [anchor('harbour', ['usdc-ngn', 'usdc-kes']), anchor('squall', ['usdc-ngn'])],
  speedTargets: { 'usdc-ngn': 600, 'usdc-kes': 600 },
};

const mongod = await privateMongo();
const startWorker = await buildWorker<Task>(new URL('./reputation-worker.ts', import.meta.url));
afterAll(() => mongod.stop());

interface World {
  parts: ReputationParts;
  feature: FeatureFixture;
  work(killedAt: number | null): Worker;
}

/** Outcomes of two days, some of them more than count of an account-day. */
async function prepared(name: string): Promise<World> {
  const uri = withDatabase(mongod.uri, name);
  const parts = await openReputationParts(uri);
  await insertOutcomes(parts, outcomes, (index) => ({
    account: `G${index % 13}`,
    anchorId: index % 2 ? 'harbour' : 'squall',
    sellAmount: index % 10 === 9 ? '9' : '100',
    outcome: anyOutcome(random),
  }));
  return {
    parts,
    feature: openFeature(parts, { fleet, now: () => noon.getTime(), leaseTtlMs }),
    work: (killedAt) => startWorker({ uri, fleet, leaseTtlMs, seed: Math.floor(random() * 1e9), killedAt }),
  };
}

/** By anchor, corridor and day, what the intents say: filled, not filled, account-days and shortfall. */
async function countedByHand({ stored }: ReputationParts): Promise<Record<string, number[]>> {
  const days: Record<string, number[]> = {};
  const taken = new Map<string, number>();
  for await (const each of stored.intents.find().sort({ 'outcome.recordedAt': 1, _id: 1 })) {
    const { outcome, disputeEffect } = each;
    if (Number(each.sellAmount) < 10 || (outcome.kind === 'expired' && disputeEffect === null)) continue;
    const day = `${each.anchorId} ${each.corridor} ${outcome.recordedAt.toISOString().slice(0, 10)}`;
    const before = taken.get(`${day} ${each.account}`) ?? 0;
    if (before === 3) continue;
    taken.set(`${day} ${each.account}`, before + 1);
    const sums = days[day] ?? [0, 0, 0, 0];
    const isFilled = outcome.kind === 'settled' && disputeEffect === null;
    const add = [isFilled ? 1 : 0, isFilled ? 0 : 1, before === 0 ? 1 : 0];
    days[day] = [...add, isFilled ? (outcome.shortfallPpb ?? 0) : 0].map((one, at) => one + (sums[at] ?? 0));
  }
  return days;
}

/** Refreshes until no mark is left, and compares every day with the count made here. */
async function agrees({ parts, feature }: World): Promise<void> {
  await eventually(async () => {
    const run = await feature.refresh();
    return run.ran && (await parts.marks.count()) === 0 ? true : undefined;
  });
  const days: Record<string, number[]> = {};
  for await (const each of parts.stored.rollups.find()) {
    const { filled, notFilled, accountDays, shortfallPpb } = each;
    days[`${each.anchorId} ${each.corridor} ${each.day}`] = [filled, notFilled, accountDays, shortfallPpb];
  }
  expect(days).toEqual(await countedByHand(parts));
}

it('four instances that settle, recover, decide, refresh and rebuild at once count to the last unit', async () => {
  const world = await prepared('crowd');
  const killedAt = 30 + Math.floor(random() * 150);
  const crowd = [null, killedAt, null, null].map((each) => world.work(each));
  const [, killed, ...others] = await Promise.all(crowd.map(({ ended }) => ended));
  expect(killed).toMatchObject({ signal: 'SIGKILL' });
  for (const end of others) expect(end).toEqual({ code: 0, signal: null, output: '' });
  await agrees(world);
  await world.parts.close();
}, 90_000);
