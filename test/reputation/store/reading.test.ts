import { describe, expect, it } from '@jest/globals';
import { leaderboardAnswer, reputationHistory } from '../../../contract/schemas/reputation.js';
import { reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';
import { anchor } from '../../fixtures/reputation/reputation-parts.js';

const fixture = await reputationFixture();
const { outcomes, board } = fixture;

describe('the leaderboard', () => {
  it('ranks by score, of which equal ones share a rank, puts anchors without one last, and hides inactive ones', async () => {
    await outcomes('harbour', 'usdc-ngn', 40, { filled: 30, days: 7 });
    await outcomes('squall', 'usdc-ngn', 40, { filled: 39, days: 7 });
    await outcomes('twin', 'usdc-ngn', 40, { filled: 39, days: 7 });
    await outcomes('gone', 'usdc-ngn', 40, { days: 7 });
    fixture.fleet.anchors.push(
      anchor('twin', ['usdc-ngn']),
      anchor('gone', [], { status: 'delisted' }),
      anchor('odd', [], { status: 'refused' }),
    );
    await fixture.feature.refreshNow();
    const answer = leaderboardAnswer.parse(await board());
    expect(answer.items.map(({ anchorId, rank }) => [anchorId, rank])).toEqual([
      ['squall', 1],
      ['twin', 1],
      ['harbour', 3],
      ['fresh', null],
    ]);
    expect(answer.items[3]).toMatchObject({ state: 'insufficient_data', outcomes: 0, score: null });
    const own = await fixture.feature.service.getReputation('gone', 30);
    expect(own).toMatchObject({ status: 'delisted', outcomes: 40, state: 'scored' });
  });

  it('lists for a corridor the anchors that serve it, by their card there', async () => {
    await outcomes('harbour', 'usdc-kes', 30, { days: 7 });
    await outcomes('harbour', 'usdc-ngn', 60, { filled: 0, days: 7 });
    await fixture.feature.refreshNow();
    expect((await board('usdc-kes')).items).toHaveLength(1);
    const overall = (await board()).items[0];
    const kes = (await board('usdc-kes')).items[0];
    expect(kes).toMatchObject({ anchorId: 'harbour', outcomes: 30, scoredCorridors: 1 });
    // The mean weighs 30 outcomes with the score of kes and 60 with zero.
    expect(Number(overall?.score)).toBeCloseTo(Number(kes?.score) / 3, 1);
    expect(overall).toMatchObject({ outcomes: 90, filled: 30, scoredCorridors: 2 });
    await expect(board('usdc-xyz')).rejects.toMatchObject({ code: 'UNSUPPORTED_PAIR' });
  });
});

describe('the record of an anchor', () => {
  it('has the card of each corridor by id, including corridors that the anchor left', async () => {
    await outcomes('harbour', 'usdc-kes', 30);
    await outcomes('harbour', 'usdc-mxn', 30, { days: 7 });
    fixture.fleet.speedTargets['usdc-mxn'] = 900;
    await fixture.feature.refreshNow();
    delete fixture.fleet.speedTargets['usdc-mxn'];
    await fixture.feature.refreshNow();
    const { corridors } = await fixture.feature.service.getReputation('harbour', 30);
    expect(corridors.map(({ corridor, outcomes: n }) => [corridor, n])).toEqual([
      ['usdc-kes', 30],
      ['usdc-mxn', 30],
      ['usdc-ngn', 0],
    ]);
    expect(corridors[1]).toMatchObject({ speedTargetSeconds: 900, state: 'scored' });
  });
});

describe('the history', () => {
  const history = (changes: { corridor?: string; limit?: string; cursor?: string } = {}) =>
    fixture.feature.service.getHistory({
      anchorId: 'harbour',
      corridor: changes.corridor ?? null,
      window: 7,
      limit: changes.limit,
      cursor: changes.cursor,
    });

  it('has a point per day with outcomes, newest first, with the score of the window that ends on it', async () => {
    for (const daysAgo of [80, 60, 40, 30, 20]) await outcomes('harbour', 'usdc-ngn', 1, { daysAgo });
    await outcomes('harbour', 'usdc-ngn', 20, { daysAgo: 10 });
    await outcomes('harbour', 'usdc-ngn', 40, { daysAgo: 4 });
    await outcomes('harbour', 'usdc-kes', 5, { daysAgo: 4, filled: 0 });
    await outcomes('harbour', 'usdc-ngn', 1, { daysAgo: 0 });
    // A verdict has taken out the only outcome of this day.
    const [takenOut = ''] = await outcomes('harbour', 'usdc-ngn', 1, { daysAgo: 7 });
    const $set = { disputeEffect: 'not_counted' } as const;
    await fixture.parts.stored.intents.updateOne({ _id: takenOut }, { $set });
    await fixture.feature.refreshNow();
    const all = reputationHistory.parse(await history());
    expect(
      all.items.slice(0, 4).map(({ day, outcomes: n, days90, state }) => [day, n, days90, state]),
    ).toEqual([
      ['2026-11-21', 1, 8, 'scored'],
      ['2026-11-17', 45, 7, 'scored'],
      ['2026-11-11', 20, 6, 'insufficient_data'],
      ['2026-11-01', 1, 5, 'insufficient_data'],
    ]);
    // usdc-ngn has 60 filled of 60 within the seven days that end on the 17th; usdc-kes has too few.
    expect(all.items[1]?.score).toBe('87.68');
    const kes = await history({ corridor: 'usdc-kes' });
    expect(kes.items.map(({ day, filled, score }) => [day, filled, score])).toEqual([
      ['2026-11-17', 0, null],
    ]);
  });

  it('has the same points in pages as in one long page', async () => {
    for (let daysAgo = 0; daysAgo < 9; daysAgo += 1) {
      await outcomes('harbour', 'usdc-ngn', 6, { daysAgo });
      await outcomes('harbour', 'usdc-kes', 7, { daysAgo, filled: 5 });
    }
    await fixture.feature.refreshNow();
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
