import { createHash } from 'node:crypto';

/**
 * The RFC 6962 tree over some leaves, as the service makes it: the hashes of every level, the leaves first, the root last.
 * An odd node is carried up. Verifiers have functions of their own, in contract/verification/merkle.ts.
 */
export type MerkleTree = readonly (readonly Uint8Array[])[];

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** Of the UTF-8 bytes of an entry. OpenSSL takes less than half the time of the hash that is meant for browsers. */
export function leafHashOf(text: string): Buffer {
  return createHash('sha256').update(leafPrefix).update(text).digest();
}

export function treeOver(leafHashes: readonly Uint8Array[]): MerkleTree {
  const levels = [leafHashes];
  let level = leafHashes;
  while (level.length > 1) {
    level = levelAbove(level);
    levels.push(level);
  }
  return levels;
}

function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = level.slice(at, at + 2);
    if (left === undefined) break;
    above.push(right === undefined ? left : nodeHashOf(left, right));
  }
  return above;
}

function nodeHashOf(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(nodePrefix).update(left).update(right).digest();
}

/** Hex; of no leaves, the hash of nothing (RFC 6962 section 2.1). */
export function rootOf(tree: MerkleTree): string {
  const [root = createHash('sha256').digest()] = tree.at(-1) ?? [];
  return Buffer.from(root).toString('hex');
}

/** The sibling hashes from leaf to root (RFC 6962 section 2.1.1), in hex. */
export function pathTo(tree: MerkleTree, index: number): string[] {
  const path: string[] = [];
  let at = index;
  for (const level of tree) {
    const sibling = level[at % 2 === 0 ? at + 1 : at - 1];
    if (sibling !== undefined) path.push(Buffer.from(sibling).toString('hex'));
    at = Math.floor(at / 2);
  }
  return path;
}
