/**
 * A histogram of settle times as a roll-up stores it: for each bucket that is not empty, in order, its index and its
 * count, 4 bytes little-endian each. As a document of a hundred members it would make up most of what a refresh
 * costs, and that cost would grow with every outcome that falls into a bucket of its own.
 */
export type PackedHistogram = Uint8Array;

const entryBytes = 8;

export const emptyHistogram: PackedHistogram = new Uint8Array(0);

/** Adds changes of either sign by bucket. Throws where a count would fall below zero: something was counted twice. */
export function changeHistogram(
  packed: PackedHistogram,
  changes: ReadonlyMap<number, number>,
): PackedHistogram {
  const counts = new Map(changes);
  forEachBucket(packed, (bucket, count) => counts.set(bucket, (counts.get(bucket) ?? 0) + count));
  const entries = [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
  const changed = new Uint8Array(entries.length * entryBytes);
  const view = new DataView(changed.buffer);
  for (const [index, [bucket, count]] of entries.entries()) {
    if (count < 0) throw new RangeError(`bucket ${bucket} of a histogram would hold ${count}`);
    view.setUint32(index * entryBytes, bucket, true);
    view.setUint32(index * entryBytes + 4, count, true);
  }
  return changed;
}

/** In the order of the buckets. */
export function forEachBucket(packed: PackedHistogram, visit: (bucket: number, count: number) => void): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at + entryBytes <= packed.byteLength; at += entryBytes) {
    visit(view.getUint32(at, true), view.getUint32(at + 4, true));
  }
}
