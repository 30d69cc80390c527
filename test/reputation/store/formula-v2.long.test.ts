import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FeatureFixture, openFeature } from '../../fixtures/reputation/aggregation-fixture.js';
import { dayMs, reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';
import { runProgram } from '../../support/run-program.js';

const fixture = reputationFixture();
const { outcomes } = fixture;
const ledger = { away: false, isAway: async () => ledger.away };
const page = { limit: undefined, cursor: undefined };
const program = fileURLToPath(new URL('../../../server/cli.ts', import.meta.url));
let feature: FeatureFixture;

beforeEach(() => {
  ledger.away = false;
  feature = open({ ledger });
});

/** An instance of the service. */
function open(options: Partial<Parameters<typeof openFeature>[1]>): FeatureFixture {
  return openFeature(fixture.aggregation, { fleet: fixture.fleet, now: () => fixture.world.now, ...options });
}

const verified = { evidence: 'ledger', timesKnown: true } as const;
const ofV1 = () => feature.service.getReputation('harbour', 30, 'v1');
const ofV2 = () => feature.service.getReputation('harbour', 30, 'v2');

function formula(...args: string[]) {
  const { PATH = '' } = process.env;
  return runProgram(process.execPath, ['--import', 'tsx', program, 'formula', ...args], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { PATH, MONGODB_URI: fixture.uri },
  });
}

describe('the cards of formula v2', () => {
  it('count only outcomes that the ledger verifies, and say how many rest on the word of the anchor', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await outcomes('harbour', 'usdc-ngn', 25, { daysAgo: 1, filled: 20, evidence: 'anchor' });
    await outcomes('harbour', 'usdc-ngn', 5, { daysAgo: 2, filled: 0, evidence: 'unverified' });
    await feature.service.refreshNow();
    const rests = { ledgerOutcomes: 40, anchorOutcomes: 25, timesWithheld: 0 };
    expect(await ofV1()).toMatchObject({ formula: 'v1', outcomes: 65, filled: 60, ...rests });
    expect(await ofV2()).toMatchObject({
      formula: 'v2',
      outcomes: 40,
      filled: 40,
      accountDays: 40,
      state: 'scored',
      ...rests,
      corridors: [{ corridor: 'usdc-kes' }, { corridor: 'usdc-ngn', formula: 'v2', outcomes: 40, ...rests }],
    });
  });

  it('have no score before 30 verified outcomes, while v1 has one', async () => {
    await outcomes('harbour', 'usdc-ngn', 29, verified);
    await outcomes('harbour', 'usdc-ngn', 100, { daysAgo: 1 });
    await feature.service.refreshNow();
    expect(await ofV1()).toMatchObject({ outcomes: 129, state: 'scored' });
    expect(await ofV2()).toMatchObject({ outcomes: 29, score: null, state: 'insufficient_data' });
  });

  it('count an outcome once it is verified later, and take a withheld time as four speed targets', async () => {
    const hashes = await outcomes('harbour', 'usdc-ngn', 30, { evidence: 'unverified' });
    await feature.service.refreshNow();
    expect(await ofV2()).toMatchObject({ outcomes: 0, ledgerOutcomes: 0, anchorOutcomes: 0 });
    await fixture.aggregation.stored.intents.updateMany(
      { _id: { $in: hashes } },
      { $set: { 'outcome.evidence': 'ledger', unfolded: true } as object },
    );
    await feature.service.refreshNow();
    expect(await ofV2()).toMatchObject({ outcomes: 30, anchorOutcomes: 0, timesWithheld: 30, score: '5.26' });
    expect(await ofV1()).toMatchObject({ outcomes: 30, ledgerOutcomes: 30, score: expect.any(String) });
    const again = await fixture.aggregation.rebuild({ adopt: false });
    expect(again).toMatchObject({ ran: true, value: { differing: 0, stale: 0 } });
  });

  it('have a ranking and a history of their own', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await outcomes('squall', 'usdc-ngn', 60, { daysAgo: 1 });
    await feature.service.refreshNow();
    const board = async (asked?: 'v1' | 'v2') =>
      (
        await feature.service.getLeaderboard({ corridor: 'usdc-ngn', window: 30, formula: asked, ...page })
      ).items
        .filter(({ rank }) => rank !== null)
        .map(({ anchorId }) => anchorId);
    expect(await board()).toEqual(['squall', 'harbour']);
    expect(await board('v2')).toEqual(['harbour']);
    const history = async (anchorId: string) => {
      const asked = { anchorId, corridor: null, window: 30, formula: 'v2', ...page } as const;
      return (await feature.service.getHistory(asked)).items;
    };
    expect(await history('harbour')).toMatchObject([{ day: '2026-11-21', outcomes: 40, state: 'scored' }]);
    expect(await history('squall')).toMatchObject([{ outcomes: 0, state: 'insufficient_data' }]);
  });

  it('name their formula in every published entry, and leave those of v1 as they were', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await feature.service.refreshNow();
    const scores = (asked?: 'v1' | 'v2') => feature.scores.getPublicScores({ formula: asked, ...page });
    const [v1, v2] = [await scores(), await scores('v2')];
    expect(v1).toMatchObject({ formula: 'v1', standsStillSince: null });
    for (const item of v1.items) expect(item).not.toHaveProperty('formula');
    expect(v2).toMatchObject({ formula: 'v2', standsStillSince: null });
    expect(v2.items).toHaveLength(v1.items.length);
    for (const item of v2.items) expect(item).toMatchObject({ formula: 'v2', ledgerOutcomes: item.outcomes });
  });

  it('are not made where no ledger is configured', async () => {
    const without = open({});
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await without.service.refreshNow();
    expect(await without.service.getReputation('harbour', 30, 'v2')).toMatchObject({
      computedAt: null,
      corridors: [],
    });
    expect(await without.scores.getPublicScores({ formula: 'v2', ...page })).toMatchObject({ items: [] });
  });
});

describe('while the ledger is away', () => {
  it('the cards of v2 stand still and say since when, those of v1 move on', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await feature.service.refreshNow();
    const before = await feature.scores.getPublicScores({ formula: 'v2', ...page });
    ledger.away = true;
    for (const day of [1, 2]) {
      fixture.world.now += dayMs;
      await outcomes('harbour', 'usdc-ngn', 5, { filled: 0 });
      await feature.service.refreshNow();
      fixture.world.now += 2_000;
      const since = '2026-11-22T12:00:00.000Z';
      expect(await ofV1()).toMatchObject({ outcomes: 40 + 5 * day, standsStillSince: null });
      expect(await ofV2()).toMatchObject({ outcomes: 40, filled: 40, standsStillSince: since });
      const still = await feature.scores.getPublicScores({ formula: 'v2', ...page });
      expect(still).toEqual({ ...before, standsStillSince: since });
      const asked = { corridor: null, window: 30, formula: 'v2', ...page } as const;
      expect(await feature.service.getLeaderboard(asked)).toMatchObject({ standsStillSince: since });
    }
    ledger.away = false;
    await feature.service.refreshNow();
    expect(await ofV2()).toMatchObject({ outcomes: 40, anchorOutcomes: 10, standsStillSince: null });
  });
});

describe('the formula that leads', () => {
  it('is v1 until the command sets another, which is refused before v2 has a score', async () => {
    await outcomes('harbour', 'usdc-ngn', 29, verified);
    await feature.service.refreshNow();
    expect(await formula('v2')).toMatchObject({ status: 2, stderr: expect.stringContaining('30 outcomes') });
    expect(await formula('v3')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no formula v3'),
    });
    const shown = await formula();
    expect(shown.status).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({ leads: 'v1', v2: { scoredCards: 0 } });
  });

  it('is the same on every instance within a second, for rankings, scores and quotes', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await outcomes('squall', 'usdc-ngn', 60, { daysAgo: 1 });
    await feature.service.refreshNow();
    const other = open({ ledger });
    await other.loadQuoteReputations();
    expect(other.reputationOf('squall', 'usdc-ngn')).toMatchObject({ outcomes: 60 });
    const begun = await other.service.getLeaderboard({ corridor: null, window: 30, ...page, limit: '1' });
    const set = await formula('v2');
    expect(set).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(set.stdout)).toMatchObject({ leads: 'v2', v2: { scoredCards: 1 } });
    fixture.world.now += 1_001;
    for (const instance of [feature, other]) {
      await instance.loadQuoteReputations();
      expect(instance.reputationOf('squall', 'usdc-ngn')).toMatchObject({ outcomes: 0, score: null });
      expect(await instance.service.getReputation('squall', 30)).toMatchObject({
        formula: 'v2',
        outcomes: 0,
      });
      expect(await instance.scores.getPublicScores(page)).toMatchObject({ formula: 'v2' });
    }
    // A list continues with the formula with which it began.
    const cursor = begun.nextCursor ?? undefined;
    const next = { corridor: null, window: 30, limit: '1', cursor } as const;
    expect(await other.service.getLeaderboard(next)).toMatchObject({ formula: 'v1' });
    await expect(other.service.getLeaderboard({ ...next, formula: 'v2' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect((await formula('v1')).status).toBe(0);
    fixture.world.now += 1_001;
    expect(await other.service.getReputation('squall', 30)).toMatchObject({ formula: 'v1', outcomes: 60 });
  });
});
