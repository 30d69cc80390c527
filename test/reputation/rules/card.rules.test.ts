import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anchorRecord, firstDayOf, recordOf } from '../../../server/features/reputation/card.rules.js';
import {
  addRollup,
  emptyCounts,
  emptyTally,
  publishedCounts,
  type Rollup,
} from '../../../server/features/reputation/counters.rules.js';
import { rank } from '../../../server/features/reputation/ranking.rules.js';
import { packed } from '../../fixtures/reputation/aggregatable-intents.js';

const day: Rollup = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  day: '2026-11-21',
  ...emptyCounts,
  filled: 20,
  notFilled: 1,
  accountDays: 18,
  quotedOutcomes: 3,
  shortfallPpb: 1,
  acceptedDisputes: 1,
  settle: packed({ 90: 19, 120: 1 }),
};

describe('the shares on a card', () => {
  it('rounds the fill rate down and the shortfall up, so that neither favours the anchor', () => {
    const tally = emptyTally();
    addRollup(tally, { ...day, filled: 2, notFilled: 1 });
    expect(recordOf(tally)).toMatchObject({ fillRate: '0.666666', meanShortfall: '0.000000001' });
  });

  it('is null when there is nothing to divide by', () => {
    const tally = emptyTally();
    expect(recordOf(tally)).toEqual({
      ...publishedCounts(tally),
      outcomes: 0,
      fillRate: null,
      p50SettleSeconds: null,
      p95SettleSeconds: null,
      meanShortfall: null,
    });
  });

  it('is unchanged after a day is added and removed again', () => {
    const tally = emptyTally();
    addRollup(tally, day);
    const before = recordOf(tally);
    addRollup(tally, { ...day, filled: 7, settle: packed({ 3: 7 }) });
    addRollup(tally, { ...day, filled: 7, settle: packed({ 3: 7 }) }, -1);
    expect(recordOf(tally)).toEqual(before);
  });
});

describe('an anchor over all its corridors', () => {
  it('counts every corridor, and is scored from the corridors that have a score', () => {
    const all = emptyTally();
    addRollup(all, day);
    addRollup(all, { ...day, corridor: 'usdc-kes' });
    const record = anchorRecord(all, [
      { score: '80.00', outcomes: 40 },
      { score: null, outcomes: 2 },
    ]);
    expect(record).toMatchObject({ outcomes: 42, score: '80.00', state: 'scored' });
    expect(anchorRecord(all, [{ score: null, outcomes: 42 }])).toMatchObject({
      score: null,
      state: 'insufficient_data',
    });
  });
});

describe('a window', () => {
  it('includes its last day, across months and leap days', () => {
    expect(firstDayOf(7, '2026-11-21')).toBe('2026-11-15');
    expect(firstDayOf(30, '2028-03-01')).toBe('2028-02-01');
    expect(firstDayOf(1, '2026-01-01')).toBe('2026-01-01');
  });
});

const rankable = (anchorId: string, score: string | null, outcomes: number) => ({
  anchorId,
  record: { score, outcomes },
  position: null as number | null,
  rank: null as number | null,
});

describe('the ranking', () => {
  it('puts the best score first and anchors without a score last; equal scores share a rank', () => {
    const cards = [
      rankable('d', null, 5),
      rankable('b', '90.00', 40),
      rankable('a', '90.00', 40),
      rankable('c', '100.00', 30),
      rankable('f', '9.50', 30),
      rankable('e', null, 20),
    ];
    expect(rank(cards).map((card) => [card.anchorId, card.rank])).toEqual([
      ['c', 1],
      ['a', 2],
      ['b', 2],
      ['f', 4],
      ['e', null],
      ['d', null],
    ]);
  });

  it('does not depend on the order of the cards, and numbers them without gaps', () => {
    const card = fc
      .record({
        anchorId: fc.string({ minLength: 1, maxLength: 3 }),
        score: fc.option(fc.integer({ min: 0, max: 300 }).map((each) => (each / 100).toFixed(2))),
        outcomes: fc.nat(3),
      })
      .map(({ anchorId, score, outcomes }) => rankable(anchorId, score, outcomes));
    const cards = fc.uniqueArray(card, { selector: ({ anchorId }) => anchorId });
    fc.assert(
      fc.property(cards, (each) => {
        const ranked = rank(each);
        expect(rank([...each].reverse())).toEqual(ranked);
        expect(ranked.map(({ position }) => position)).toEqual(each.map((_, index) => index));
      }),
    );
  });
});
