import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaderboardAnswer, reputationHistory } from '../../../contract/reputation-answers.js';
import type { ScoreCard } from '../../../contract/score-card.js';
import { publicScores } from '../../../contract/scores.js';
import type { ReputationFeature } from '../../../server/features/reputation/feature.js';
import { testDatabase } from '../../helpers/database.js';
import { failed, noon, settled } from '../../unit/reputation/foldable.js';
import { type Books, insertIntents, openBooks, openFeature } from './books.js';
import { anchor, type TestFleet } from './fleet.js';

const { uri } = testDatabase();
const dayMs = 86_400_000;
let books: Books;
let fleet: TestFleet;
let feature: ReputationFeature;
let now = noon.getTime();
let batch: { sequence: number; root: string } | null = null;

beforeAll(async () => {
  books = await openBooks(uri);
});
afterAll(() => books.close());
beforeEach(async () => {
  const all = ['intents', 'reputation_rollups', 'reputation_account_days', 'reputation_cards'];
  for (const name of [...all, 'reputation_state']) await books.connection.collection(name).deleteMany({});
  now = noon.getTime();
  batch = null;
  fleet = {
    anchors: [
      anchor('harbour', ['usdc-ngn', 'usdc-kes']),
      anchor('squall', ['usdc-ngn']),
      anchor('fresh', ['usdc-ngn']),
    ],
    speedTargets: { 'usdc-ngn': 600, 'usdc-kes': 600 },
  };
  feature = openFeature(books, { fleet, now: () => now, latestBatch: async () => batch });
});

/** Outcomes of as many accounts, so many days ago. */
function outcomes(
  anchorId: string,
  corridor: string,
  count: number,
  options: { filled?: number; daysAgo?: number; settleSeconds?: number } = {},
) {
  const { filled = count, daysAgo = 0, settleSeconds = 60 } = options;
  const recordedAt = new Date(now - daysAgo * dayMs);
  return insertIntents(books, count, (index) => ({
    anchorId,
    corridor,
    account: `G${anchorId}${corridor}${daysAgo}-${index}`,
    outcome:
      index < filled ? settled({ recordedAt, settleSeconds, shortfallPpb: 0 }) : failed({ recordedAt }),
  }));
}

const board = (corridor: string | null = null, window: ScoreCard['window'] = 30) =>
  feature.reputation.getLeaderboard({ corridor, window, limit: undefined, cursor: undefined });

describe('a refresh', () => {
  it('folds first, and says what it did', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    expect(await feature.reputation.refreshNow()).toMatchObject({
      folded: 40,
      foldedElsewhere: false,
      anchors: 3,
      // Three anchors with four corridors between them, in three windows.
      cards: 12,
      scored: 3,
      computedAt: '2026-11-21T12:00:00.000Z',
    });
  });

  it('gives each window its own days, the present one included', async () => {
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 0 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 6 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 7 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 29 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 30 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 89 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 90 });
    await feature.reputation.refreshNow();
    const counts = [];
    for (const window of [7, 30, 90] as const)
      counts.push((await feature.reputation.getReputation('squall', window)).outcomes);
    expect(counts).toEqual([60, 120, 180]);
  });

  it('lets the days move on', async () => {
    await outcomes('squall', 'usdc-ngn', 40, { daysAgo: 6 });
    await feature.reputation.refreshNow();
    expect((await board(null, 7)).items[0]).toMatchObject({ anchorId: 'squall', outcomes: 40 });
    now += dayMs;
    await feature.reputation.refreshNow();
    const { items } = await board(null, 7);
    expect(items.find(({ anchorId }) => anchorId === 'squall')).toMatchObject({ outcomes: 0, score: null });
  });

  it('is refused while another one runs, with the time that one began', async () => {
    await books.leases.run('reputation-refresh', 10_000, async () => {
      const refused = feature.reputation.refreshNow();
      await expect(refused).rejects.toMatchObject({
        code: 'RUN_IN_PROGRESS',
        extras: { startedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
    });
    expect(await feature.reputation.refreshNow()).toMatchObject({ foldedElsewhere: false });
  });

  it('goes on while another instance folds, and says so', async () => {
    await outcomes('harbour', 'usdc-ngn', 3);
    await books.leases.run('reputation-fold', 10_000, async () => {
      expect(await feature.reputation.refreshNow()).toMatchObject({ folded: 0, foldedElsewhere: true });
    });
  });

  it('keeps the run in force and the one before it, and removes the rest', async () => {
    for (let round = 0; round < 4; round += 1) await feature.reputation.refreshNow();
    const runs = await books.store.cards.distinct('run');
    const state = await books.store.state.findById('cards').lean();
    expect(runs.sort()).toEqual([state?.previousRun, state?.run].sort());
  });
});

describe('the leaderboard', () => {
  it('ranks by score, puts anchors without one last, and hides those that are not active', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, { filled: 30 });
    await outcomes('squall', 'usdc-ngn', 40, { filled: 39 });
    await outcomes('gone', 'usdc-ngn', 40);
    fleet.anchors.push(anchor('gone', [], { status: 'delisted' }), anchor('odd', [], { status: 'refused' }));
    await feature.reputation.refreshNow();
    const answer = leaderboardAnswer.parse(await board());
    expect(answer.items.map(({ anchorId, rank }) => [anchorId, rank])).toEqual([
      ['squall', 1],
      ['harbour', 2],
      ['fresh', null],
    ]);
    expect(answer.items[2]).toMatchObject({ state: 'insufficient_data', outcomes: 0, score: null });
    const own = await feature.reputation.getReputation('gone', 30);
    expect(own).toMatchObject({ status: 'delisted', outcomes: 40, state: 'scored' });
  });

  it('of a corridor holds the anchors that serve it, by their card there', async () => {
    await outcomes('harbour', 'usdc-kes', 30);
    await outcomes('harbour', 'usdc-ngn', 60, { filled: 0 });
    await feature.reputation.refreshNow();
    expect((await board('usdc-kes')).items).toHaveLength(1);
    const overall = (await board()).items[0];
    const kes = (await board('usdc-kes')).items[0];
    expect(kes).toMatchObject({ anchorId: 'harbour', outcomes: 30, scoredCorridors: 1 });
    // 30 outcomes at the score of kes, 60 at zero.
    expect(Number(overall?.score)).toBeCloseTo(Number(kes?.score) / 3, 1);
    expect(overall).toMatchObject({ outcomes: 90, filled: 30, scoredCorridors: 2 });
    expect((await board('usdc-xyz')).items).toEqual([]);
  });

  it('is empty, not wrong, before the first refresh', async () => {
    expect(await board()).toEqual({
      corridor: null,
      window: 30,
      computedAt: null,
      items: [],
      nextCursor: null,
    });
    expect(await feature.reputation.getReputation('harbour', 30)).toMatchObject({
      computedAt: null,
      outcomes: 0,
      score: null,
      corridors: [],
    });
  });

  it('pages through everyone once, on the run it began with even after a refresh', async () => {
    fleet.anchors = Array.from({ length: 23 }, (_, index) =>
      anchor(`a${String(index).padStart(2, '0')}`, ['usdc-ngn']),
    );
    await feature.reputation.refreshNow();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await feature.reputation.getLeaderboard({
        corridor: 'usdc-ngn',
        window: 30,
        limit: '5',
        cursor,
      });
      seen.push(...page.items.map(({ anchorId }) => anchorId));
      if (seen.length === 10) {
        await outcomes('a22', 'usdc-ngn', 40);
        await feature.reputation.refreshNow();
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(fleet.anchors.map(({ id }) => id));
    expect((await board('usdc-ngn')).items[0]).toMatchObject({ anchorId: 'a22', rank: 1 });
  });

  it('refuses a cursor of another question, and one that was never given', async () => {
    fleet.anchors = Array.from({ length: 3 }, (_, index) => anchor(`a${index}`, ['usdc-ngn']));
    await feature.reputation.refreshNow();
    const query = { corridor: null, window: 30, limit: '1' } as const;
    const { nextCursor } = await feature.reputation.getLeaderboard({ ...query, cursor: undefined });
    const cursor = nextCursor ?? '';
    expect((await feature.reputation.getLeaderboard({ ...query, cursor })).items).toHaveLength(1);
    for (const bad of [
      { ...query, corridor: 'usdc-ngn', cursor },
      { ...query, window: 7 as const, cursor },
      { ...query, cursor: 'AAAA' },
      { ...query, cursor: `${cursor}A` },
    ])
      await expect(feature.reputation.getLeaderboard(bad)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('gives the same object while the run is in force, so that its bytes are made once', async () => {
    await feature.reputation.refreshNow();
    const first = await board();
    expect(await board()).toBe(first);
    await feature.reputation.refreshNow();
    expect(await board()).not.toBe(first);
  });
});

describe('the record of an anchor', () => {
  it('has the card of each corridor, by id, those it left included', async () => {
    await outcomes('harbour', 'usdc-kes', 30);
    await outcomes('harbour', 'usdc-mxn', 30);
    fleet.speedTargets['usdc-mxn'] = 900;
    await feature.reputation.refreshNow();
    delete fleet.speedTargets['usdc-mxn'];
    await feature.reputation.refreshNow();
    const { corridors } = await feature.reputation.getReputation('harbour', 30);
    expect(corridors.map(({ corridor, outcomes: n }) => [corridor, n])).toEqual([
      ['usdc-kes', 30],
      ['usdc-mxn', 30],
      ['usdc-ngn', 0],
    ]);
    expect(corridors[1]).toMatchObject({ speedTargetSeconds: 900, state: 'scored' });
  });

  it('of an anchor that was never in the fleet is UNKNOWN_ANCHOR', async () => {
    await expect(feature.reputation.getReputation('nobody', 30)).rejects.toMatchObject({
      code: 'UNKNOWN_ANCHOR',
    });
  });
});

describe('the history', () => {
  const history = (changes: { corridor?: string; limit?: string; cursor?: string } = {}) =>
    feature.reputation.getHistory({
      anchorId: 'harbour',
      corridor: changes.corridor ?? null,
      window: 7,
      limit: changes.limit,
      cursor: changes.cursor,
    });

  it('has a point for each day with outcomes, newest first, and the score of the window that ends with it', async () => {
    await outcomes('harbour', 'usdc-ngn', 20, { daysAgo: 10 });
    await outcomes('harbour', 'usdc-ngn', 20, { daysAgo: 4 });
    await outcomes('harbour', 'usdc-kes', 5, { daysAgo: 4, filled: 0 });
    await outcomes('harbour', 'usdc-ngn', 1, { daysAgo: 0 });
    await feature.reputation.refreshNow();
    const all = reputationHistory.parse(await history());
    expect(all.items.map(({ day, outcomes: n, state }) => [day, n, state])).toEqual([
      ['2026-11-21', 1, 'insufficient_data'],
      ['2026-11-17', 25, 'scored'],
      ['2026-11-11', 20, 'insufficient_data'],
    ]);
    // 40 filled of 40 in usdc-ngn within the seven days that end on the 17th; usdc-kes has too few.
    expect(all.items[1]?.score).toBe('85.12');
    const kes = await history({ corridor: 'usdc-kes' });
    expect(kes.items.map(({ day, filled, score }) => [day, filled, score])).toEqual([
      ['2026-11-17', 0, null],
    ]);
  });

  it('agrees with the card of the same window', async () => {
    for (let daysAgo = 0; daysAgo < 12; daysAgo += 1)
      await outcomes('harbour', 'usdc-ngn', 9, { daysAgo, filled: 9 - (daysAgo % 3) });
    await feature.reputation.refreshNow();
    const [latest] = (await history({ corridor: 'usdc-ngn' })).items;
    const { corridors } = await feature.reputation.getReputation('harbour', 7);
    expect(latest?.score).toBe(corridors.find(({ corridor }) => corridor === 'usdc-ngn')?.score);
    expect(latest?.score).not.toBeNull();
  });

  it('pages, and each page says what one long page says', async () => {
    for (let daysAgo = 0; daysAgo < 9; daysAgo += 1) {
      await outcomes('harbour', 'usdc-ngn', 6, { daysAgo });
      await outcomes('harbour', 'usdc-kes', 7, { daysAgo, filled: 5 });
    }
    await feature.reputation.refreshNow();
    const whole = await history();
    const paged = [];
    let cursor: string | undefined;
    do {
      const page = await history({ limit: '4', ...(cursor === undefined ? {} : { cursor }) });
      paged.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(whole.items).toHaveLength(9);
    expect(paged).toEqual(whole.items);
  });
});

describe('the public scores', () => {
  it('are the cards of window 30 by anchor and corridor, with the latest batch', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    await feature.reputation.refreshNow();
    batch = { sequence: 3, root: 'ab'.repeat(32) };
    now += 2_000;
    const first = await feature.scores.getPublicScores({ limit: '2', cursor: undefined });
    expect(publicScores.parse(first)).toMatchObject({ batch, generatedAt: '2026-11-21T12:00:00.000Z' });
    const second = await feature.scores.getPublicScores({
      limit: '2',
      cursor: first.nextCursor ?? undefined,
    });
    expect(
      [...first.items, ...second.items].map(({ anchorId, corridor }) => `${anchorId} ${corridor}`),
    ).toEqual(['fresh usdc-ngn', 'harbour usdc-kes', 'harbour usdc-ngn', 'squall usdc-ngn']);
    expect(second.nextCursor).toBeNull();
    expect(await feature.scores.getPublicScores({ limit: '2', cursor: undefined })).toBe(first);
    batch = { sequence: 4, root: 'cd'.repeat(32) };
    now += 2_000;
    expect(await feature.scores.getPublicScores({ limit: '2', cursor: undefined })).toMatchObject({ batch });
  });
});

describe('for the other features', () => {
  it('quotes see the new record as soon as a refresh of this instance has ended', async () => {
    expect(feature.reputationOf('harbour', 'usdc-ngn')).toEqual({
      score: null,
      state: 'insufficient_data',
      outcomes: 0,
      meanShortfall: null,
    });
    await outcomes('harbour', 'usdc-ngn', 40);
    await feature.reputation.refreshNow();
    expect(feature.reputationOf('harbour', 'usdc-ngn')).toEqual({
      score: '85.12',
      state: 'scored',
      outcomes: 40,
      meanShortfall: '0.000000000',
    });
  });

  it('quotes of an instance that starts find the record that another has computed', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    await feature.reputation.refreshNow();
    const another = openFeature(books, { fleet, now: () => now });
    another.start();
    await expect.poll(() => another.reputationOf('harbour', 'usdc-ngn').state).toBe('scored');
    await another.stop();
  });

  it('the publisher is handed every card in order, across pages', async () => {
    fleet.anchors = Array.from({ length: 300 }, (_, index) => anchor(`a${index}`, ['usdc-ngn', 'usdc-kes']));
    fleet.anchors.push(anchor('a', ['usdc-ngn']), anchor('a-b', ['usdc-ngn']), anchor('ab', ['usdc-ngn']));
    await feature.reputation.refreshNow();
    const keys = [];
    for await (const card of feature.listCards(30)) keys.push([card.anchorId, card.corridor]);
    expect(keys).toHaveLength(603);
    expect(keys).toEqual([...keys].sort(byAnchorThenCorridor));
  });

  it('a list of cards that is overtaken by two refreshes fails rather than end early', async () => {
    fleet.anchors = Array.from({ length: 300 }, (_, index) => anchor(`a${index}`, ['usdc-ngn', 'usdc-kes']));
    await feature.reputation.refreshNow();
    const cards = feature.listCards(30)[Symbol.asyncIterator]();
    await cards.next();
    await feature.reputation.refreshNow();
    await feature.reputation.refreshNow();
    const rest = async () => {
      while (!(await cards.next()).done);
    };
    await expect(rest()).rejects.toThrow('replaced');
  });
});

function byAnchorThenCorridor([a1 = '', c1 = '']: string[], [a2 = '', c2 = '']: string[]): number {
  if (a1 !== a2) return a1 < a2 ? -1 : 1;
  return c1 < c2 ? -1 : 1;
}
