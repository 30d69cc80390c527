import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countAccounts } from '../../../server/features/reputation/account-counts.rules.js';
import { firstDayOf, ownRecord, recordOf } from '../../../server/features/reputation/card.rules.js';
import {
  emptySums,
  forEachCount,
  type PackedCounts,
  packCounts,
  percentileSeconds,
  type Rollup,
  settleBounds,
  settleBucketOf,
} from '../../../server/features/reputation/day-count.rules.js';
import { compareRanked } from '../../../server/features/reputation/ranking.rules.js';
import {
  addRollup,
  addTally,
  emptyTally,
  judgeTimes,
} from '../../../server/features/reputation/tally.rules.js';

const day: Rollup = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  day: '2026-11-21',
  ...emptySums(),
  filled: 20,
  notFilled: 1,
  accountDays: 18,
  quotedOutcomes: 3,
  shortfallPpb: 1,
  acceptedDisputes: 1,
  settle: packed({ 90: 19, 120: 1 }),
  accounts: packed({ 7: 3, 4294967295: 18 }),
};

describe('the shares on a card', () => {
  it('rounds the fill rate down and the shortfall up, so that neither favours the anchor', () => {
    const tally = emptyTally();
    addRollup(tally, { ...day, filled: 2, notFilled: 1 });
    expect(recordOf(tally, 1)).toMatchObject({ fillRate: '0.666666', meanShortfall: '0.000000001' });
  });

  it('is null when there is nothing to divide by', () => {
    const none = { fillRate: null, p50SettleSeconds: null, p95SettleSeconds: null, meanShortfall: null };
    expect(recordOf(emptyTally(), 0)).toMatchObject({ outcomes: 0, days90: 0, ...none });
  });

  it('takes a withheld time as four speed targets with a ledger, and no time as more; else as none', () => {
    const tally = emptyTally();
    addRollup(tally, {
      ...day,
      filled: 3,
      settle: packed({ 60: 1, 600: 1 }),
    });
    const timesBy = (evidence: 'ledger' | 'anchor') => recordOf(judgeTimes(tally, evidence, 600), 1);
    expect(timesBy('ledger')).toMatchObject({
      p50SettleSeconds: 2_444,
      p95SettleSeconds: 2_444,
      timesWithheld: 1,
    });
    expect(timesBy('anchor')).toMatchObject({ p50SettleSeconds: 60, timesWithheld: 1 });
    expect(Number(timesBy('anchor').p95SettleSeconds)).toBeGreaterThan(2_444);
  });
});

it('an anchor over all its corridors is scored from those that have a score', () => {
  const record = recordOf(emptyTally(), 0);
  const cards = [
    { score: '80.00', outcomes: 40 },
    { score: null, outcomes: 2 },
  ];
  expect(ownRecord(record, cards)).toMatchObject({ score: '80.00', state: 'scored' });
  expect(ownRecord(record, cards.slice(1))).toMatchObject({ score: null, state: 'insufficient_data' });
});

it('the tally of two corridors is that of all their days', () => {
  const [ngn, kes, sum, whole] = [emptyTally(), emptyTally(), emptyTally(), emptyTally()];
  const earlier = { ...day, corridor: 'usdc-kes', day: '2026-11-20', filled: 25 };
  addRollup(ngn, day);
  addRollup(kes, earlier);
  for (const tally of [ngn, kes]) addTally(sum, tally);
  for (const rollup of [day, earlier]) addRollup(whole, rollup);
  expect(sum).toEqual(whole);
});

it('counts each account of a window once, with the outcomes of all its days there, also where digests collide', () => {
  const today = '2026-11-21';
  // Few digests, close together and at both ends: most of them meet others in the table.
  const digest = fc.oneof(fc.nat(9), fc.integer({ min: 4_294_967_290, max: 4_294_967_295 }));
  const dayOf = (age: number) => firstDayOf(age + 1, today);
  const rollup = fc.record({
    age: fc.nat(89),
    counts: fc.array(fc.tuple(digest, fc.integer({ min: 1, max: 3 }))),
  });
  fc.assert(
    fc.property(fc.array(rollup, { maxLength: 8 }), (drawn) => {
      const days = drawn.map(({ age, counts }) => ({ age, counts: new Map(counts) }));
      const rollups = days.map(({ age, counts }) => ({
        ...day,
        day: dayOf(age),
        accounts: packCounts(counts),
      }));
      const counted = countAccounts(rollups, today);
      for (const window of [7, 30, 90]) {
        const sums = new Map<number, number>();
        for (const { age, counts } of days)
          for (const [account, count] of age < window ? counts : [])
            sums.set(account, (sums.get(account) ?? 0) + count);
        expect(counted.get(window)).toEqual({ accounts: sums.size, largest: Math.max(0, ...sums.values()) });
      }
    }),
  );
});

it('a window includes its last day, across months and leap days', () => {
  expect(firstDayOf(7, '2026-11-21')).toBe('2026-11-15');
  expect(firstDayOf(30, '2028-03-01')).toBe('2028-02-01');
  expect(firstDayOf(1, '2026-01-01')).toBe('2026-01-01');
});

it('a ranking does not depend on the order of its cards: best score first, those without one last', () => {
  const card = fc.record({
    anchorId: fc.string({ minLength: 1, maxLength: 3 }),
    score: fc.option(fc.integer({ min: 0, max: 10_000 }).map((each) => (each / 100).toFixed(2))),
    outcomes: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.uniqueArray(card, { selector: ({ anchorId }) => anchorId }), (cards) => {
      const ranked = [...cards].sort(compareRanked);
      expect([...cards].reverse().sort(compareRanked)).toEqual(ranked);
      const scores = ranked.map(({ score }) => (score === null ? -1 : Number(score)));
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }),
  );
});

describe('the table of settle-time bounds', () => {
  it('has not changed since stored roll-ups were written with it', () => {
    const recurrence = [0];
    for (let last = 0; last < 7_776_000; last = recurrence.at(-1) ?? Number.NaN) {
      recurrence.push(Math.min(7_776_000, Math.max(last + 1, Number((BigInt(last) * 102n) / 100n))));
    }
    expect(settleBounds).toEqual(recurrence);
  });

  it('is exact to 100 s and steps by at most 2 % from there', () => {
    for (const [index, bound] of settleBounds.entries()) {
      if (index <= 100) expect(bound).toBe(index);
      else expect(bound / (settleBounds[index - 1] ?? 0)).toBeLessThanOrEqual(1.02);
    }
  });

  it('assigns every second to the bucket whose bounds contain it, and longer times to the last bucket', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000 }), (seconds) => {
        const bucket = settleBucketOf(seconds);
        const capped = Math.min(seconds, 7_776_000);
        expect(settleBounds[bucket]).toBeGreaterThanOrEqual(capped);
        if (bucket > 0) expect(settleBounds[bucket - 1]).toBeLessThan(capped);
      }),
    );
    expect(settleBucketOf(-3)).toBe(0);
  });
});

describe('a percentile', () => {
  it('is never below the exact nearest-rank value and at most 2 % above it', () => {
    const times = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, fc.constantFrom(50, 95), (seconds, percent) => {
        const sorted = [...seconds].sort((a, b) => a - b);
        const exact = sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
        const reported = percentileSeconds(histogramOf(seconds), percent) ?? Number.NaN;
        expect(reported).toBeGreaterThanOrEqual(exact);
        expect(reported).toBeLessThanOrEqual(exact <= 100 ? exact : exact * 1.02);
      }),
    );
  });

  it('is null for an empty histogram', () => {
    expect(percentileSeconds(histogramOf([]), 50)).toBeNull();
  });
});

function histogramOf(seconds: readonly number[]): Uint32Array {
  const histogram = new Uint32Array(settleBounds.length);
  for (const each of seconds) {
    const bucket = settleBucketOf(each);
    histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  }
  return histogram;
}

it('packed counts hold what a map held, in order, and can be read at any byte offset of their buffer', () => {
  const any = fc.array(fc.tuple(fc.nat(4_294_967_295), fc.nat(4_294_967_295)), { maxLength: 20 });
  fc.assert(
    fc.property(any, (pairs) => {
      const counts = new Map(pairs);
      const within = Buffer.concat([Buffer.from('abc'), packCounts(counts)]).subarray(3);
      expect(entriesOf(within)).toEqual([...counts].sort(([a], [b]) => a - b));
    }),
  );
});

function entriesOf(packed: PackedCounts): [number, number][] {
  const entries: [number, number][] = [];
  forEachCount(packed, (key, count) => entries.push([key, count]));
  return entries;
}

function packed(counts: Record<number, number>): PackedCounts {
  return packCounts(new Map(Object.entries(counts).map(([key, count]) => [Number(key), count])));
}
