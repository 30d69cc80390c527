import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  changeHistogram,
  emptyHistogram,
  forEachBucket,
  type PackedHistogram,
} from '../../../server/features/reputation/histogram.rules.js';

describe('a packed histogram', () => {
  it('holds after any changes what a map would hold, in the order of the buckets', () => {
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

  it('is read wherever its bytes begin', () => {
    const packed = changeHistogram(emptyHistogram, new Map([[5, 4_000_000_000]]));
    const within = Buffer.concat([Buffer.from('abc'), packed]).subarray(3);
    expect(entriesOf(within)).toEqual([[5, 4_000_000_000]]);
  });

  it('never holds less than nothing', () => {
    expect(() => changeHistogram(emptyHistogram, new Map([[5, -1]]))).toThrow(RangeError);
  });
});

function entriesOf(packed: PackedHistogram): [number, number][] {
  const entries: [number, number][] = [];
  forEachBucket(packed, (bucket, count) => entries.push([bucket, count]));
  return entries;
}
