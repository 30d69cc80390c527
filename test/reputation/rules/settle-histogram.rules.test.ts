import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  changeHistogram,
  emptyHistogram,
  forEachBucket,
  type PackedHistogram,
  percentileSeconds,
  settleBounds,
  settleBucketOf,
} from '../../../server/features/reputation/settle-histogram.rules.js';

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

describe('a packed histogram', () => {
  it('holds the same counts as a map after any changes, in the order of the buckets', () => {
    const change = fc.tuple(fc.nat(682), fc.integer({ min: -3, max: 1_000_000 }));
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 20 }), { maxLength: 10 }), (rounds) => {
        const counts = new Map<number, number>();
        let packed: PackedHistogram = emptyHistogram;
        for (const round of rounds) {
          const changes = new Map<number, number>();
          for (const [bucket, wanted] of round) {
            const count = Math.max(wanted, -(counts.get(bucket) ?? 0));
            changes.set(bucket, count);
          }
          for (const [bucket, count] of changes) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
          packed = changeHistogram(packed, changes);
        }
        expect(entriesOf(packed)).toEqual([...counts].filter(([, n]) => n > 0).sort(([a], [b]) => a - b));
      }),
    );
  });

  it('can be read at any byte offset of its buffer', () => {
    const packed = changeHistogram(emptyHistogram, new Map([[5, 4_000_000_000]]));
    const within = Buffer.concat([Buffer.from('abc'), packed]).subarray(3);
    expect(entriesOf(within)).toEqual([[5, 4_000_000_000]]);
  });

  it('never holds a negative count', () => {
    expect(() => changeHistogram(emptyHistogram, new Map([[5, -1]]))).toThrow(RangeError);
  });
});

function entriesOf(packed: PackedHistogram): [number, number][] {
  const entries: [number, number][] = [];
  forEachBucket(packed, (bucket, count) => entries.push([bucket, count]));
  return entries;
}
