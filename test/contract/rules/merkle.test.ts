import { describe, expect, it } from '@jest/globals';
import { fromBase64, fromHex, toHex, utf8 } from '../../../contract/verification/bytes.js';
import {
  createMerkleAccumulator,
  inclusionPath,
  leafHash,
  verifyInclusion,
} from '../../../contract/verification/merkle.js';
import { inclusionProof, merkleRoot, nodeHash } from '../../fixtures/publisher/merkle.js';
import reference from '../../vectors/merkle-inclusion.json' with { type: 'json' };
import rfc6962 from '../../vectors/rfc6962.json' with { type: 'json' };

type Claim = Parameters<typeof verifyInclusion>[0];

describe('the vectors', () => {
  const leaves = rfc6962.leaves.map((leaf) => leafHash(fromHex(leaf)));

  it('of RFC 6962: roots, hashes and proofs', () => {
    expect(toHex(leafHash(utf8(rfc6962.leaf.text)))).toBe(rfc6962.leaf.hash);
    for (const [size, root] of rfc6962.roots.entries()) {
      const tree = createMerkleAccumulator();
      for (const leaf of leaves.slice(0, size)) tree.append(leaf);
      expect(toHex(tree.root())).toBe(root);
    }
    for (const { index, size, leafHash: leaf, proof } of rfc6962.inclusion) {
      const root = fromHex(rfc6962.roots[size] ?? '');
      const claim = { leafHash: fromHex(leaf), index, size, proof: proof.map(fromHex), root };
      expect(verifyInclusion(claim)).toBe(true);
    }
  });

  it.each(reference.cases)(
    'of transparency-dev: $file',
    ({ leafIdx, treeSize, root, leafHash: leaf, proof, wantErr }) => {
      const hashes = { leafHash: fromBase64(leaf), proof: proof.map(fromBase64), root: fromBase64(root) };
      expect(verifyInclusion({ ...hashes, index: leafIdx, size: treeSize })).toBe(!wantErr);
    },
  );
});

it('Merkle trees of every size up to 70 have the root of the definition, and prove each leaf at its index and at no other', () => {
  const all = leavesOf(70);
  const tree = createMerkleAccumulator();
  for (let size = 1; size <= 70; size += 1) {
    const leaves = all.slice(0, size);
    tree.append(all[size - 1] ?? new Uint8Array());
    const root = tree.root();
    expect(root).toEqual(merkleRoot(leaves));
    for (const [index, leaf] of leaves.entries()) {
      const claim = { leafHash: leaf, index, size, proof: inclusionProof(leaves, index), root };
      expect(verifyInclusion(claim)).toBe(true);
      expect(inclusionPath(claim)?.at(-1)).toEqual(root);
      expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(size === 1);
    }
  }
  expect(() => tree.append(new Uint8Array(31))).toThrow(RangeError);
});

const flip = (hash: Uint8Array, bit: number) =>
  hash.map((byte, at) => (at === Math.floor(bit / 8) % hash.length ? byte ^ (1 << (bit % 8)) : byte));

/** The claim with one change each that makes it untrue, made at this place of its hashes. */
function untrue(claim: Claim, at: number): Claim[] {
  const { proof, index, size, leafHash: leaf, root } = claim;
  const step = at % Math.max(proof.length, 1);
  const changed = (change: (hash: Uint8Array) => Uint8Array) =>
    proof.map((hash, place) => (place === step ? change(hash) : hash));
  return [
    { ...claim, leafHash: flip(leaf, at) },
    { ...claim, root: flip(root, at) },
    { ...claim, proof: changed((hash) => flip(hash, at)) },
    { ...claim, proof: proof.filter((_, place) => place !== step) },
    { ...claim, proof: [...proof, root] },
    { ...claim, proof: [leaf, ...proof] },
    { ...claim, proof: [...proof.slice(0, step), flip(leaf, at), ...proof.slice(step)] },
    { ...claim, index: index ^ (1 << (at % 10)) },
    { ...claim, index: index + size },
    { ...claim, index: -1 - index },
    { ...claim, index: index + 0.5 },
    { ...claim, size: index },
    { ...claim, size: Number.NaN },
    { ...claim, proof: changed((hash) => hash.subarray(1)) },
    { ...claim, leafHash: new Uint8Array(0) },
  ];
}

describe('mutated proofs', () => {
  it('are refused, each change by itself', () => {
    for (const size of [2, 3, 7, 8, 130]) {
      const leaves = leavesOf(size);
      const root = merkleRoot(leaves);
      for (const [index, leaf] of leaves.entries()) {
        const claim = { leafHash: leaf, index, size, proof: inclusionProof(leaves, index), root };
        expect(verifyInclusion(claim)).toBe(true);
        for (const other of untrue(claim, 37 * index + size)) expect(verifyInclusion(other)).toBe(false);
      }
    }
  });

  it('are refused past the root of the claimed size, and for an inner node as a leaf, although the hashes match', () => {
    const leaves = leavesOf(4);
    const [first = new Uint8Array(0), second = new Uint8Array(0)] = leaves;
    const pair = { root: nodeHash(first, second), proof: [first] };
    expect(verifyInclusion({ leafHash: second, index: 0, size: 1, ...pair })).toBe(false);
    expect(verifyInclusion({ leafHash: second, index: 1, size: 2, ...pair })).toBe(true);
    const proof = inclusionProof(leaves, 0).slice(1);
    const inner = { leafHash: pair.root, proof, root: merkleRoot(leaves) };
    expect(verifyInclusion({ ...inner, index: 0, size: 4 })).toBe(false);
  });
});

function leavesOf(size: number) {
  return Array.from({ length: size }, (_, index) => leafHash(utf8(`leaf ${index}`)));
}
