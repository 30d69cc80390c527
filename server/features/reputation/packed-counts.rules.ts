/**
 * Counts by a number below 2³², as a roll-up stores them: pairs of number and count in order, 4 bytes little-endian each.
 * Stored as a document with a hundred members, they would make up most of the cost of a refresh.
 */
export type PackedCounts = Uint8Array;

const pairBytes = 8;

export function packCounts(counts: ReadonlyMap<number, number>): PackedCounts {
  const packed = new Uint8Array(counts.size * pairBytes);
  const view = new DataView(packed.buffer);
  for (const [index, [key, count]] of [...counts].sort(([a], [b]) => a - b).entries()) {
    view.setUint32(index * pairBytes, key, true);
    view.setUint32(index * pairBytes + 4, count, true);
  }
  return packed;
}

/** Visits the numbers in order. */
export function forEachCount(packed: PackedCounts, visit: (key: number, count: number) => void): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at + pairBytes <= packed.byteLength; at += pairBytes) {
    visit(view.getUint32(at, true), view.getUint32(at + 4, true));
  }
}
