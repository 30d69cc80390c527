import { describe, expect, it } from '@jest/globals';
import { openFeature } from '../../fixtures/reputation/aggregation-fixture.js';
import { anchor } from '../../fixtures/reputation/fleet-view.js';
import { dayMs, reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';

const fixture = reputationFixture();
const { outcomes, board } = fixture;

describe('a refresh', () => {
  it('aggregates first, and reports what it did', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    expect(await fixture.feature.service.refreshNow()).toMatchObject({
      folded: 40,
      foldedElsewhere: false,
      anchors: 3,
      // Three anchors with four corridors between them, in three windows.
      cards: 12,
      scored: 3,
      computedAt: '2026-11-21T12:00:00.000Z',
    });
  });

  it('counts in each window its own days, including today', async () => {
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 0 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 6 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 7 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 29 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 30 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 89 });
    await outcomes('squall', 'usdc-ngn', 30, { daysAgo: 90 });
    await fixture.feature.service.refreshNow();
    const counts = [];
    for (const window of [7, 30, 90] as const)
      counts.push((await fixture.feature.service.getReputation('squall', window)).outcomes);
    expect(counts).toEqual([60, 120, 180]);
  });

  it('moves the windows on with the days', async () => {
    await outcomes('squall', 'usdc-ngn', 40, { daysAgo: 6 });
    await fixture.feature.service.refreshNow();
    expect((await board(null, 7)).items[0]).toMatchObject({ anchorId: 'squall', outcomes: 40 });
    fixture.world.now += dayMs;
    await fixture.feature.service.refreshNow();
    const { items } = await board(null, 7);
    expect(items.find(({ anchorId }) => anchorId === 'squall')).toMatchObject({ outcomes: 0, score: null });
  });

  it('is refused while another one runs, with the start time of that one', async () => {
    await fixture.aggregation.leases.run('reputation-refresh', 10_000, async () => {
      const refused = fixture.feature.service.refreshNow();
      await expect(refused).rejects.toMatchObject({
        code: 'RUN_IN_PROGRESS',
        extras: { startedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
    });
    expect(await fixture.feature.service.refreshNow()).toMatchObject({ foldedElsewhere: false });
  });

  it('has what the same instance is aggregating, as at the start, where both begin', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    await Promise.all([fixture.feature.aggregate(), fixture.feature.service.refreshNow()]);
    expect((await board()).items[0]).toMatchObject({ anchorId: 'harbour', outcomes: 40 });
  });

  it('continues while another instance aggregates, and reports it', async () => {
    await outcomes('harbour', 'usdc-ngn', 3);
    await fixture.aggregation.leases.run('reputation-fold', 10_000, async () => {
      expect(await fixture.feature.service.refreshNow()).toMatchObject({
        folded: 0,
        foldedElsewhere: true,
      });
    });
  });

  it('reads everything again where a rebuild replaces the roll-ups meanwhile', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    await fixture.feature.service.refreshNow();
    let rebuilds = 0;
    fixture.fleet.meanwhile = async () => {
      rebuilds += 1;
      if (rebuilds === 1) await fixture.aggregation.rebuild({ adopt: true });
    };
    await fixture.feature.service.refreshNow();
    expect((await board()).items[0]).toMatchObject({ anchorId: 'harbour', outcomes: 40 });
    expect(rebuilds).toBe(2);
  });

  it('keeps the run in force and two before it, and removes all others', async () => {
    const inForce: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      await fixture.feature.service.refreshNow();
      inForce.push((await fixture.aggregation.stored.state.findOne({ _id: 'cards' }))?.run);
    }
    const runs = await fixture.aggregation.stored.cards.distinct('run');
    expect(runs.sort()).toEqual(inForce.slice(-3).sort());
  });
});

describe('what other features read', () => {
  it('gives quotes the new record as soon as a refresh of this instance has ended', async () => {
    expect(fixture.feature.reputationOf('harbour', 'usdc-ngn')).toEqual({
      score: null,
      state: 'insufficient_data',
      outcomes: 0,
      fillRate: null,
      p50SettleSeconds: null,
      p95SettleSeconds: null,
      meanShortfall: null,
    });
    await outcomes('harbour', 'usdc-ngn', 40);
    await fixture.feature.service.refreshNow();
    expect(fixture.feature.reputationOf('harbour', 'usdc-ngn')).toEqual({
      score: '85.12',
      state: 'scored',
      outcomes: 40,
      fillRate: '1.000000',
      p50SettleSeconds: 60,
      p95SettleSeconds: 60,
      meanShortfall: '0.000000000',
    });
  });

  it('gives quotes of a new instance the record that another instance computed', async () => {
    await outcomes('harbour', 'usdc-ngn', 40);
    await fixture.feature.service.refreshNow();
    const another = openFeature(fixture.aggregation, { fleet: fixture.fleet, now: () => fixture.world.now });
    await another.loadQuoteReputations();
    expect(another.reputationOf('harbour', 'usdc-ngn').state).toBe('scored');
  });

  it('gives the publisher every card in order, across pages', async () => {
    fixture.fleet.anchors = Array.from({ length: 300 }, (_, index) =>
      anchor(`a${index}`, ['usdc-ngn', 'usdc-kes']),
    );
    fixture.fleet.anchors.push(
      anchor('a', ['usdc-ngn']),
      anchor('a-b', ['usdc-ngn']),
      anchor('ab', ['usdc-ngn']),
    );
    await fixture.feature.service.refreshNow();
    const keys = [];
    for await (const card of fixture.feature.by.v1.listEveryCard(30))
      keys.push([card.anchorId, card.corridor]);
    expect(keys).toHaveLength(603);
    expect(keys).toEqual([...keys].sort(byAnchorThenCorridor));
  });

  it('throws when refreshes replace the run while its cards are listed, rather than end early', async () => {
    fixture.fleet.anchors = Array.from({ length: 300 }, (_, index) =>
      anchor(`a${index}`, ['usdc-ngn', 'usdc-kes']),
    );
    await fixture.feature.service.refreshNow();
    const cards = fixture.feature.by.v1.listEveryCard(30)[Symbol.asyncIterator]();
    await cards.next();
    for (let round = 0; round < 3; round += 1) await fixture.feature.service.refreshNow();
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
