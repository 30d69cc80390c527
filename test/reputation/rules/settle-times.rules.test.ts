import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  forEachCount,
  type PackedCounts,
  packCounts,
} from '../../../server/features/reputation/packed-counts.rules.js';
import {
  percentileSeconds,
  settleBounds,
  settleBucketOf,
} from '../../../server/features/reputation/settle-times.rules.js';

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
