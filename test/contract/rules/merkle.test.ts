import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64, fromHex, toHex, utf8 } from '../../../contract/verification/bytes.js';
import {
  consistencyProof,
  createMerkleAccumulator,
  type InclusionClaim,
  inclusionPath,
  inclusionProof,
  leafHash,
  merkleRoot,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from '../../../contract/verification/merkle.js';
import { expectFor } from '../../support/expect-for.js';
import { propertyRuns } from '../../support/property-runs.js';
import consistencyVectors from '../../vectors/merkle-consistency.json' with { type: 'json' };
import inclusionVectors from '../../vectors/merkle-inclusion.json' with { type: 'json' };
import rfc6962 from '../../vectors/rfc6962.json' with { type: 'json' };

const vectorLeaves = rfc6962.leaves.map((leaf) => leafHash(fromHex(leaf)));

function leavesOf(size: number): Uint8Array[] {
  return Array.from({ length: size }, (_, index) => leafHash(utf8(`leaf ${index}`)));
}

/** The recursive definition of MTH in RFC 6962, section 2.1, against which the one-pass root is checked. */
function rootByDefinition(leaves: readonly Uint8Array[]): Buffer {
  const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return Buffer.from(only);
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return sha256(Uint8Array.of(1), rootByDefinition(left), rootByDefinition(right));
}

describe('RFC 6962 vectors', () => {
  it.each(rfc6962.roots.map((root, size) => ({ root, size })))('root of $size leaves', ({ root, size }) => {
    expect(toHex(merkleRoot(vectorLeaves.slice(0, size)))).toBe(root);
  });

  it('leaf and node hashes', () => {
    expect(toHex(leafHash(utf8(rfc6962.leaf.text)))).toBe(rfc6962.leaf.hash);
    expect(toHex(nodeHash(utf8(rfc6962.node.left), utf8(rfc6962.node.right)))).toBe(rfc6962.node.hash);
  });

  it.each(rfc6962.inclusion)(
    'inclusion of leaf $index of $size',
    ({ index, size, leafHash: leaf, proof }) => {
      const leaves = vectorLeaves.slice(0, size);
      expect(toHex(leaves[index] ?? new Uint8Array())).toBe(leaf);
      expect(inclusionProof(leaves, index).map(toHex)).toEqual(proof);
      const root = fromHex(rfc6962.roots[size] ?? '');
      expect(verifyInclusion({ leafHash: fromHex(leaf), index, size, proof: proof.map(fromHex), root })).toBe(
        true,
      );
    },
  );

  it.each(rfc6962.consistency)('consistency of $size1 and $size2', ({ size1, size2, proof }) => {
    expect(consistencyProof(vectorLeaves.slice(0, size2), size1).map(toHex)).toEqual(proof);
    const claim = {
      size1,
      root1: fromHex(rfc6962.roots[size1] ?? ''),
      size2,
      root2: fromHex(rfc6962.roots[size2] ?? ''),
      proof: proof.map(fromHex),
    };
    expect(verifyConsistency(claim)).toBe(true);
  });
});

/** The roots of this vector are the words "dont care 2". It is the one on which we differ: a root here has 32 bytes. */
const placeholderRoots = 'consistency/additional/sizes-are-equal-one-and-proof-is-empty.json';

describe('transparency-dev vectors', () => {
  it.each(inclusionVectors.cases)('$file', ({ leafIdx, treeSize, root, leafHash: leaf, proof, wantErr }) => {
    const claim = {
      leafHash: fromBase64(leaf),
      index: leafIdx,
      size: treeSize,
      proof: proof.map(fromBase64),
      root: fromBase64(root),
    };
    expect(verifyInclusion(claim)).toBe(!wantErr);
  });

  it.each(consistencyVectors.cases)('$file', ({ file, size1, size2, root1, root2, proof, wantErr }) => {
    const claim = {
      size1,
      root1: fromBase64(root1),
      size2,
      root2: fromBase64(root2),
      proof: proof.map(fromBase64),
    };
    expect(verifyConsistency(claim)).toBe(!wantErr && file !== placeholderRoots);
  });
});

describe('Merkle trees of every size up to 70', () => {
  it('have the root of the definition, computed at once or leaf by leaf', () => {
    const tree = createMerkleAccumulator();
    const leaves = leavesOf(70);
    for (const [index, leaf] of leaves.entries()) {
      tree.append(leaf);
      const expected = rootByDefinition(leaves.slice(0, index + 1)).toString('hex');
      expect(toHex(tree.root())).toBe(expected);
      expect(toHex(merkleRoot(leaves.slice(0, index + 1)))).toBe(expected);
    }
  });

  it('prove each leaf at its index and at no other', () => {
    for (let size = 1; size <= 70; size += 1) {
      const leaves = leavesOf(size);
      const root = merkleRoot(leaves);
      for (const [index, leaf] of leaves.entries()) {
        const proof = inclusionProof(leaves, index);
        expect(verifyInclusion({ leafHash: leaf, index, size, proof, root })).toBe(true);
        expect(verifyInclusion({ leafHash: leaf, index: (index + 1) % size, size, proof, root })).toBe(
          size === 1,
        );
      }
    }
  });

  it('lead from each leaf over the hash of every node above it to the root', () => {
    const leaves = leavesOf(7);
    const [a, b, c, d, e, f, g] = leaves as [Uint8Array, ...Uint8Array[]] & Uint8Array[];
    const left = nodeHash(nodeHash(a, b as Uint8Array), nodeHash(c as Uint8Array, d as Uint8Array));
    const pair = nodeHash(e as Uint8Array, f as Uint8Array);
    const right = nodeHash(pair, g as Uint8Array);
    const pathOf = (index: number) =>
      inclusionPath({
        leafHash: leaves[index] as Uint8Array,
        index,
        size: 7,
        proof: inclusionProof(leaves, index),
      })?.map(toHex);
    const hex = (...hashes: (Uint8Array | undefined)[]) => hashes.map((hash) => toHex(hash as Uint8Array));
    expect(pathOf(4)).toEqual(hex(e, pair, right, nodeHash(left, right)));
    expect(pathOf(6)).toEqual(hex(g, right, nodeHash(left, right)));
  });

  it('prove that they extend each smaller tree', () => {
    const leaves = leavesOf(40);
    const roots = leaves.map((_, index) => merkleRoot(leaves.slice(0, index + 1)));
    for (const [last, root2] of roots.entries()) {
      for (const [first, root1] of roots.slice(0, last + 1).entries()) {
        const proof = consistencyProof(leaves.slice(0, last + 1), first + 1);
        const claim = { size1: first + 1, root1, size2: last + 1, root2, proof };
        expectFor(`${first + 1} in ${last + 1}`, verifyConsistency(claim)).toBe(true);
        expect(verifyConsistency({ ...claim, root1: root2 })).toBe(first === last);
      }
    }
  });
});

const flip = (hash: Uint8Array, bit: number) =>
  hash.map((byte, at) => (at === Math.floor(bit / 8) % hash.length ? byte ^ (1 << (bit % 8)) : byte));

/** One change that makes the claim untrue, chosen and placed by `pick` and `at`. */
function mutate(claim: InclusionClaim, pick: number, at: number): InclusionClaim {
  const { proof, index, size, leafHash: leaf, root } = claim;
  const step = at % Math.max(proof.length, 1);
  const mutations: InclusionClaim[] = [
    { ...claim, leafHash: flip(leaf, at) },
    { ...claim, root: flip(root, at) },
    { ...claim, proof: proof.map((hash, place) => (place === step ? flip(hash, at) : hash)) },
    { ...claim, proof: proof.filter((_, place) => place !== step) },
    { ...claim, proof: [...proof, root] },
    { ...claim, proof: [leaf, ...proof] },
    { ...claim, proof: [...proof.slice(0, step), flip(leaf, at), ...proof.slice(step)] },
    { ...claim, index: index ^ (1 << (at % 10)) },
    { ...claim, index: index + size },
    { ...claim, index: -1 - index },
    { ...claim, index: index + 0.5 },
    { ...claim, size: index },
    { ...claim, size: 0 },
    { ...claim, size: Number.NaN },
    { ...claim, proof: proof.map((hash, place) => (place === step ? hash.subarray(1) : hash)) },
    { ...claim, leafHash: new Uint8Array(0) },
  ];
  return mutations[pick % mutations.length] ?? claim;
}

describe('mutated proofs', () => {
  it('are refused in every random case', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.nat(),
        fc.nat(),
        fc.nat(255),
        (size, indexSeed, pick, at) => {
          const leaves = leavesOf(size);
          const index = indexSeed % size;
          const claim = {
            leafHash: leaves[index] ?? new Uint8Array(0),
            index,
            size,
            proof: inclusionProof(leaves, index),
            root: merkleRoot(leaves),
          };
          expect(verifyInclusion(claim)).toBe(true);
          expect(verifyInclusion(mutate(claim, pick, at))).toBe(false);
        },
      ),
      { numRuns: propertyRuns(3_000) },
    );
  }, 60_000);

  it('are refused when they continue past the root of the claimed size, although the hashes match', () => {
    const leaves = leavesOf(4);
    const [first = new Uint8Array(0), second = new Uint8Array(0)] = leaves;
    const pair = { root: nodeHash(first, second), proof: [first] };
    expect(verifyInclusion({ leafHash: second, index: 0, size: 1, ...pair })).toBe(false);
    expect(verifyInclusion({ leafHash: second, index: 1, size: 2, ...pair })).toBe(true);
    const old = merkleRoot(leaves.slice(0, 3));
    const proof = consistencyProof(leaves, 3);
    const within = { size1: 3, root1: old, size2: 4, root2: merkleRoot(leaves) };
    expect(verifyConsistency({ ...within, proof })).toBe(true);
    const beyond = {
      root1: nodeHash(first, old),
      root2: nodeHash(first, within.root2),
      proof: [...proof, first],
    };
    expect(verifyConsistency({ ...within, ...beyond })).toBe(false);
  });

  it('pass off neither an inner node as a leaf nor a doubled last leaf as a longer list', () => {
    const leaves = leavesOf(4);
    const [first = new Uint8Array(0), second = new Uint8Array(0), , fourth = new Uint8Array(0)] = leaves;
    const root = merkleRoot(leaves);
    const inner = nodeHash(first, second);
    const proof = inclusionProof(leaves, 0).slice(1);
    // The hashes add up only in a tree claimed to be smaller, and the signed size forbids that claim.
    expect(verifyInclusion({ leafHash: inner, index: 0, size: 4, proof, root })).toBe(false);
    expect(toHex(merkleRoot(leaves.slice(0, 3)))).not.toBe(
      toHex(merkleRoot([...leaves.slice(0, 3), leaves[2] ?? fourth])),
    );
  });
});

describe('malformed input', () => {
  it('throws when building and is false when verifying', () => {
    const leaves = leavesOf(3);
    expect(() => merkleRoot([new Uint8Array(31)])).toThrow(RangeError);
    for (const index of [-1, 3, 0.5, Number.NaN])
      expect(() => inclusionProof(leaves, index)).toThrow(RangeError);
    for (const size of [0, 4, 1.5]) expect(() => consistencyProof(leaves, size)).toThrow(RangeError);
    const root = merkleRoot(leaves);
    for (const [size1, size2] of [
      [0, 3],
      [3, 2],
      [1.5, 3],
      [Number.NaN, 3],
      [1, Number.POSITIVE_INFINITY],
    ] as const) {
      expect(verifyConsistency({ size1, root1: root, size2, root2: root, proof: [] })).toBe(false);
    }
  });

  it('terminates for a size beyond 2^32', () => {
    const leaf = leafHash(utf8('x'));
    const size = 2 ** 40;
    const proof = Array.from({ length: 40 }, () => leaf);
    let root = leaf;
    for (const sibling of proof) root = nodeHash(root, sibling);
    expect(verifyInclusion({ leafHash: leaf, index: 0, size, proof, root })).toBe(true);
    expect(verifyInclusion({ leafHash: leaf, index: 2 ** 32, size, proof, root })).toBe(false);
  });
});
