import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addRollup,
  anchorRecord,
  countsOf,
  emptyTally,
  firstDayOf,
  type Rollup,
} from '../../../server/features/reputation/card.rules.js';
import { rankRows } from '../../../server/features/reputation/ranking.rules.js';
import { packed } from '../../fixtures/reputation/aggregatable-intents.js';

const day: Rollup = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  day: '2026-11-21',
  filled: 20,
  notFilled: 1,
  accountDays: 18,
  quotedOutcomes: 3,
  shortfallPpb: 1,
  acceptedDisputes: 1,
  settle: packed({ 90: 19, 120: 1 }),
};

describe('what a tally says', () => {
  it('rounds the fill rate down and the shortfall up, so that neither flatters', () => {
    const tally = emptyTally();
    addRollup(tally, { ...day, filled: 2, notFilled: 1 });
    expect(countsOf(tally)).toMatchObject({ fillRate: '0.666666', meanShortfall: '0.000000001' });
  });

  it('is null where there is nothing to take a share of', () => {
    expect(countsOf(emptyTally())).toEqual({
      outcomes: 0,
      filled: 0,
      accountDays: 0,
      fillRate: null,
      p50SettleSeconds: null,
      p95SettleSeconds: null,
      meanShortfall: null,
      quotedOutcomes: 0,
      acceptedDisputes: 0,
    });
  });

  it('is the same after a day is added and taken out again', () => {
    const tally = emptyTally();
    addRollup(tally, day);
    const before = countsOf(tally);
    addRollup(tally, { ...day, filled: 7, settle: packed({ 3: 7 }) });
    addRollup(tally, { ...day, filled: 7, settle: packed({ 3: 7 }) }, -1);
    expect(countsOf(tally)).toEqual(before);
  });
});

describe('an anchor over all its corridors', () => {
  it('counts every corridor, and is scored from those that have a score', () => {
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

describe('the ranking', () => {
  it('puts the best first and those without a score last, equal scores sharing a rank', () => {
    const rows = [
      { anchorId: 'd', score: null, outcomes: 5 },
      { anchorId: 'b', score: '90.00', outcomes: 40 },
      { anchorId: 'a', score: '90.00', outcomes: 40 },
      { anchorId: 'c', score: '100.00', outcomes: 30 },
      { anchorId: 'f', score: '9.50', outcomes: 30 },
      { anchorId: 'e', score: null, outcomes: 20 },
    ];
    expect(rankRows(rows).map(({ row, rank }) => [row.anchorId, rank])).toEqual([
      ['c', 1],
      ['a', 2],
      ['b', 2],
      ['f', 4],
      ['e', null],
      ['d', null],
    ]);
  });

  it('does not depend on the order it is given the rows in, and numbers them without gaps', () => {
    const row = fc.record({
      anchorId: fc.string({ minLength: 1, maxLength: 3 }),
      score: fc.option(fc.integer({ min: 0, max: 300 }).map((each) => (each / 100).toFixed(2))),
      outcomes: fc.nat(3),
    });
    const rows = fc.uniqueArray(row, { selector: ({ anchorId }) => anchorId });
    fc.assert(
      fc.property(rows, (each) => {
        const ranked = rankRows(each);
        expect(rankRows([...each].reverse())).toEqual(ranked);
        expect(ranked.map(({ position }) => position)).toEqual(each.map((_, index) => index));
      }),
    );
  });
});
