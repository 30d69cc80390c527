import { sha256 } from '@noble/hashes/sha2.js';
import { concat, equalInConstantTime } from './bytes.js';

/**
 * Merkle trees as in RFC 6962 section 2.1 (SHA-256). Leaves and inner nodes are hashed under different first bytes, and
 * an odd node is carried up, never doubled: so no node passes for a leaf and no two lists of leaves share a root.
 * Hashes are 32 bytes.
 */

const HASH_BYTES = 32;
const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** SHA-256(0x00 ‖ data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concat(LEAF_PREFIX, data));
}

/** SHA-256(0x01 ‖ left ‖ right). */
function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(NODE_PREFIX, left, right));
}

/** Takes leaf hashes one by one and holds at most one hash per level, so a caller can pause between any two. */
interface MerkleAccumulator {
  append(hash: Uint8Array): void;
  /** Root of the leaves appended so far; SHA-256 of the empty input for no leaves. */
  root(): Uint8Array;
}

/** An empty tree; its functions throw RangeError on a hash that is not 32 bytes. */
export function createMerkleAccumulator(): MerkleAccumulator {
  /** Roots of complete subtrees, largest first: one for each bit set in `size`. */
  const subtrees: Uint8Array[] = [];
  let size = 0;
  return {
    append(hash) {
      assertHash(hash);
      let carried = hash;
      for (let bits = size; bits % 2 === 1; bits = (bits - 1) / 2) {
        const left = subtrees.pop();
        if (left !== undefined) carried = nodeHash(left, carried);
      }
      subtrees.push(carried);
      size += 1;
    },
    root() {
      if (size === 0) return sha256(new Uint8Array(0));
      return subtrees.reduceRight((right, left) => nodeHash(left, right));
    },
  };
}

function assertHash(hash: Uint8Array): void {
  if (hash.length !== HASH_BYTES) throw new RangeError(`a hash has ${HASH_BYTES} bytes, not ${hash.length}`);
}

/** Position of a node and of the last node of its level, from the leaves up. No bit operations: sizes pass 2³². */
interface Climb {
  own: number;
  last: number;
}

function isRightChild({ own }: Climb): boolean {
  return own % 2 === 1;
}

function climb(at: Climb): void {
  at.own = Math.floor(at.own / 2);
  at.last = Math.floor(at.last / 2);
}

/** A leaf, its place in a tree of `size` leaves, and its sibling hashes from leaf to root. */
interface InclusionProof {
  leafHash: Uint8Array;
  index: number;
  size: number;
  proof: readonly Uint8Array[];
}

/** The claim that this leaf stands at `index` of a tree of `size` leaves with this root; `proof` from leaf to root. */
interface InclusionClaim extends InclusionProof {
  root: Uint8Array;
}

/**
 * The hashes of the nodes on the way from the leaf (the first) to the root (the last): RFC 9162 section 2.1.3.2. Null if
 * the index, the length of the proof or the length of a hash is impossible.
 */
export function inclusionPath({ leafHash: leaf, index, size, proof }: InclusionProof): Uint8Array[] | null {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return null;
  if (index < 0 || index >= size) return null;
  if ([leaf, ...proof].some((hash) => hash.length !== HASH_BYTES)) return null;
  const at: Climb = { own: index, last: size - 1 };
  let hash = leaf;
  const path = [leaf];
  for (const sibling of proof) {
    if (at.last === 0) return null;
    if (isRightChild(at) || at.own === at.last) {
      hash = nodeHash(sibling, hash);
      // Past the levels on which the last, odd node was carried up without a sibling.
      while (!isRightChild(at) && at.own !== 0) climb(at);
    } else {
      hash = nodeHash(hash, sibling);
    }
    climb(at);
    path.push(hash);
  }
  return at.last === 0 ? path : null;
}

/** Verifies as RFC 9162 section 2.1.3.2. Malformed input is false, because proofs come from untrusted parties. */
export function verifyInclusion({ root, ...proof }: InclusionClaim): boolean {
  const computed = inclusionPath(proof)?.at(-1);
  return computed !== undefined && root.length === HASH_BYTES && equalInConstantTime(computed, root);
}
