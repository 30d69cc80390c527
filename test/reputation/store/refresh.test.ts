import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { CardSigns, ScoreCard } from '../../../contract/schemas/score-card.js';
import { dayMs, reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';
import { insertOutcomes, openFeature, totals } from '../../fixtures/reputation/reputation-parts.js';
import { settled, withOutcome } from '../../fixtures/reputation/stored-outcomes.js';
import { runFairlead } from '../../support/compiled-service.js';
import { silentLogger } from '../../support/silent-logger.js';

const fixture = await reputationFixture();
const { outcomes, board } = fixture;

describe('a refresh', () => {
  it('counts the marked days anew first, and reports what it did', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, { days: 7 });
    expect(await fixture.feature.refreshNow()).toMatchObject({
      days: 7,
      more: false,
      anchors: 3,
      // Three anchors with four corridors between them, in three windows.
      cards: 12,
      scored: 3,
      computedAt: '2026-11-21T12:00:00.000Z',
    });
    expect(await fixture.feature.refreshNow()).toMatchObject({ days: 0, scored: 3 });
  });

  it('counts in each window its own days, including today', async () => {
    for (const daysAgo of [0, 6, 7, 29, 30, 89, 90]) await outcomes('squall', 'usdc-ngn', 30, { daysAgo });
    await fixture.feature.refreshNow();
    const counts = [];
    for (const window of [7, 30, 90] as const)
      counts.push((await fixture.feature.service.getReputation('squall', window)).outcomes);
    expect(counts).toEqual([60, 120, 180]);
  });

  it('replaces what a day held before: nothing is counted twice, and what is gone is not counted', async () => {
    const [first] = await outcomes('harbour', 'usdc-ngn', 3);
    const { parts, feature } = fixture;
    await feature.refreshNow();
    expect(await totals(parts)).toMatchObject({ filled: 3, notFilled: 0, accountDays: 3 });
    await parts.stored.intents.updateOne(
      { _id: first ?? '' },
      { $set: { disputeEffect: 'counts_not_filled' } },
    );
    await parts.markEveryDay();
    await feature.refreshNow();
    expect(await totals(parts)).toMatchObject({ filled: 2, notFilled: 1, acceptedDisputes: 1 });
    await parts.stored.intents.deleteMany({});
    await parts.markEveryDay();
    await feature.refreshNow();
    expect(await parts.stored.rollups.countDocuments({})).toBe(0);
    expect(await parts.marks.count()).toBe(0);
  });

  it('leaves the mark of a change that comes while its day is counted, for the next run', async () => {
    await outcomes('harbour', 'usdc-ngn', 2);
    const { parts, fleet, world } = fixture;
    const later = withOutcome({ account: 'GLATE' });
    let isFirst = true;
    const during = {
      ...parts.outcomes,
      async listOfDay(...args: Parameters<typeof parts.outcomes.listOfDay>) {
        const found = await parts.outcomes.listOfDay(...args);
        if (isFirst) await insertOutcomes(parts, 1, () => later);
        isFirst = false;
        return found;
      },
    };
    const feature = openFeature({ ...parts, outcomes: during }, { fleet, now: () => world.now });
    await feature.refreshNow();
    expect(await totals(parts)).toMatchObject({ filled: 2 });
    expect(await parts.marks.count()).toBe(1);
    await feature.refreshNow();
    expect(await totals(parts)).toMatchObject({ filled: 3 });
    expect(await parts.marks.count()).toBe(0);
  });

  it('counts the others where a day overruns its transaction, which is an error in the log', async () => {
    await outcomes('harbour', 'usdc-ngn', 4);
    await outcomes('squall', 'usdc-ngn', 5);
    const { parts, fleet, world } = fixture;
    const slow = {
      ...parts.outcomes,
      async listOfDay(...args: Parameters<typeof parts.outcomes.listOfDay>) {
        if (args[1].anchorId === 'harbour') await new Promise((done) => setTimeout(done, 3_100));
        return parts.outcomes.listOfDay(...args);
      },
    };
    const errors: unknown[] = [];
    const logger = { ...silentLogger, error: (fields: unknown) => void errors.push(fields) };
    const feature = openFeature({ ...parts, outcomes: slow }, { fleet, now: () => world.now, logger });
    expect(await feature.refreshNow()).toMatchObject({ days: 1 });
    expect(await totals(parts)).toMatchObject({ filled: 5 });
    expect(errors).toMatchObject([{ anchorId: 'harbour', corridor: 'usdc-ngn', day: '2026-11-21' }]);
    expect(await parts.marks.count()).toBe(1);
    await fixture.feature.refreshNow();
    expect(await totals(parts)).toMatchObject({ filled: 9 });
  }, 20_000);

  it('counts for at most ten seconds, and says that days are left', async () => {
    await outcomes('harbour', 'usdc-ngn', 9, { days: 9 });
    const { parts, fleet, world } = fixture;
    let passed = 0;
    const feature = openFeature(parts, { fleet, now: () => world.now + 2_500 * passed++ });
    expect(await feature.refreshNow()).toMatchObject({ days: expect.any(Number), more: true });
    expect((await totals(parts)).filled).toBeLessThan(9);
    while ((await feature.refreshNow()).more);
    expect(await totals(parts)).toMatchObject({ filled: 9 });
  });
});

describe('with a ledger', () => {
  const ledger = { away: false, isAway: async () => ledger.away };
  const withLedger = () =>
    openFeature(fixture.parts, { fleet: fixture.fleet, now: () => fixture.world.now, ledger });
  const verified = { evidence: 'ledger', timesKnown: true, days: 7 } as const;

  it('only outcomes that it verifies count; the others are told beside them', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    await outcomes('harbour', 'usdc-ngn', 25, { daysAgo: 1, filled: 20, evidence: 'anchor' });
    await outcomes('harbour', 'usdc-ngn', 5, { daysAgo: 2, filled: 0, evidence: 'unverified' });
    const feature = withLedger();
    await feature.refreshNow();
    const own = {
      evidence: 'ledger',
      outcomes: 40,
      ledgerOutcomes: 40,
      anchorOutcomes: 25,
      timesWithheld: 0,
    };
    expect(await feature.service.getReputation('harbour', 30)).toMatchObject({
      ...own,
      formula: 'v1',
      filled: 40,
      accountDays: 40,
      state: 'scored',
      corridors: [{ corridor: 'usdc-kes' }, { corridor: 'usdc-ngn', ...own }],
    });
  });

  it('an outcome counts once it is verified later, and a withheld time as four speed targets', async () => {
    const hashes = await outcomes('harbour', 'usdc-ngn', 30, { evidence: 'unverified', days: 7 });
    const { parts } = fixture;
    const feature = withLedger();
    await feature.refreshNow();
    expect(await feature.service.getReputation('harbour', 30)).toMatchObject({
      outcomes: 0,
      ledgerOutcomes: 0,
    });
    await parts.stored.intents.updateMany(
      { _id: { $in: hashes } },
      { $set: { 'outcome.evidence': 'ledger' } as object },
    );
    await parts.markEveryDay();
    await feature.refreshNow();
    expect(await feature.service.getReputation('harbour', 30)).toMatchObject({
      outcomes: 30,
      anchorOutcomes: 0,
      timesWithheld: 30,
      score: '5.26',
    });
  });

  it('every day is counted anew once one is configured', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, { days: 7 });
    await fixture.feature.refreshNow();
    expect((await board()).items[0]).toMatchObject({ evidence: 'anchor', outcomes: 40 });
    const feature = withLedger();
    expect(await feature.refreshNow()).toMatchObject({ days: 7 });
    const uncounted = { evidence: 'ledger', outcomes: 0, anchorOutcomes: 40, score: null };
    expect(await feature.service.getReputation('harbour', 30)).toMatchObject(uncounted);
    expect(await feature.refreshNow()).toMatchObject({ days: 0 });
  });

  it('while it is away the cards stand still and say since when, and days are counted all the same', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, verified);
    const feature = withLedger();
    await feature.refreshNow();
    const page = { limit: undefined, cursor: undefined };
    const before = await feature.scores.getPublicScores(page);
    ledger.away = true;
    const since = '2026-11-22T12:00:00.000Z';
    for (let day = 0; day < 2; day += 1) {
      fixture.world.now += dayMs;
      await outcomes('harbour', 'usdc-ngn', 5, { filled: 0, evidence: 'ledger' });
      expect(await feature.refreshNow()).toMatchObject({
        days: 1,
        cards: 0,
        computedAt: before.generatedAt,
      });
      fixture.world.now += 2_000;
      const answer = await feature.service.getReputation('harbour', 30);
      expect(answer).toMatchObject({ outcomes: 40, standsStillSince: since });
      expect(await feature.scores.getPublicScores(page)).toEqual({ ...before, standsStillSince: since });
    }
    ledger.away = false;
    await feature.refreshNow();
    const answer = await feature.service.getReputation('harbour', 30);
    expect(answer).toMatchObject({ outcomes: 50, filled: 40, standsStillSince: null });
  });
});

it('a rebuild program marks every day, and the next refresh counts the same', async () => {
  await outcomes('harbour', 'usdc-ngn', 12, { days: 4 });
  await fixture.feature.refreshNow();
  const before = await totals(fixture.parts);
  const run = await runFairlead(['rebuild'], { MONGODB_URI: fixture.uri });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({ days: 4 });
  expect(await fixture.feature.refreshNow()).toMatchObject({ days: 4 });
  expect(await totals(fixture.parts)).toEqual(before);
});

interface Case {
  name: string;
  window: ScoreCard['window'];
  /** Account, anchor and UTC day. */
  outcomes: [string, string, string][];
  signs: CardSigns;
}

const vectors = new URL('../../vectors/card-signs.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as { cases: Case[] };

/** Inserts outcomes that are counted together, each later in its day than the one before. */
async function record(outcomes: Case['outcomes'], timesKnown = true): Promise<void> {
  await insertOutcomes(fixture.parts, outcomes.length, (index) => {
    const [account = '', anchorId = '', day = ''] = outcomes[index] ?? [];
    const recordedAt = new Date(Date.parse(day) + index * 1_000);
    return {
      anchorId,
      account: `G${account}`,
      outcome: settled({ recordedAt, timesKnown, settleSeconds: timesKnown ? 60 : null }),
    };
  });
}

async function signsOf(anchorId: string, window: ScoreCard['window'] = 30) {
  await fixture.feature.refresh();
  const { corridors } = await fixture.feature.service.getReputation(anchorId, window);
  const card = corridors.find(({ corridor }) => corridor === 'usdc-ngn');
  if (card === undefined) throw new Error('there is no card');
  return card;
}

describe('the signs beside a card', () => {
  it.each(cases.map((each) => [each.name, each] as const))(
    '%s',
    async (_name, { window, outcomes, signs }) => {
      await record(outcomes);
      expect(await signsOf('harbour', window)).toMatchObject(signs);
      // Counted anew, they are the same.
      await fixture.parts.markEveryDay();
      expect(await signsOf('harbour', window)).toMatchObject(signs);
    },
  );

  it('of an anchor are taken over all its corridors, its accounts and days once each', async () => {
    for (const corridor of ['usdc-ngn', 'usdc-kes']) {
      await insertOutcomes(fixture.parts, 2, (index) => ({
        corridor,
        account: `G${index}`,
        outcome: settled({ timesKnown: corridor === 'usdc-ngn' }),
      }));
    }
    await fixture.feature.refresh();
    expect(await fixture.feature.service.getReputation('harbour', 30)).toMatchObject({
      outcomes: 4,
      timesKnown: 2,
      accounts: 2,
      largestAccountShare: '0.500000',
      busiestDayShare: '1.000000',
    });
  });

  it('are no part of the entries that are published and hashed', async () => {
    await record([['a', 'harbour', '2026-11-21']]);
    await fixture.feature.refresh();
    const { cards: published } = await fixture.feature.publishedCards();
    const members =
      'acceptedDisputes accountDays anchorId anchorOutcomes corridor days90 evidence fillRate filled formula ' +
      'ledgerOutcomes meanShortfall outcomes p50SettleSeconds p95SettleSeconds quotedOutcomes score simulated ' +
      'speedTargetSeconds state timesWithheld window';
    expect(published.length).toBeGreaterThan(0);
    for (const card of published) expect(Object.keys(card).sort().join(' ')).toBe(members);
    const { items } = await fixture.feature.scores.getPublicScores({ limit: undefined, cursor: undefined });
    expect(items).toEqual(published);
  });
});
