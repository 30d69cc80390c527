import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '../../../contract/verification/bytes.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { batchHeaderHash, entryLeafHash } from '../../../contract/verification/verify-batch.js';
import {
  entryKey,
  inOrder,
  isUnchanged,
  nextHeader,
  toEntry,
} from '../../../server/features/publisher/batch.rules.js';
import { pathTo, rootOf, treeOver } from '../../../server/features/publisher/merkle-tree.rules.js';
import { inclusionProof, merkleRoot } from '../../fixtures/publisher/merkle.js';
import { cardsOf } from '../../fixtures/publisher/publisher.js';

const leavesOf = (size: number) => cardsOf(size).map((card) => toEntry(card).leafHash);

describe('an entry', () => {
  it('is hashed in its RFC 8785 form, as verifiers hash it', () => {
    for (const card of cardsOf(20)) {
      const { text, leafHash } = toEntry(card);
      expect(text).toBe(canonicalJson(card));
      expect(toHex(leafHash)).toBe(toHex(entryLeafHash(card)));
    }
  });

  it('sorts by anchor, then corridor, even if one anchor id begins with another', () => {
    const slug = fc.stringMatching(/^[a-z0-9]{1,3}(-[a-z0-9]{1,2})?$/);
    const corridor = fc.constantFrom('usdc-ngn', 'usdc-xof', 'usdc-xof-sn', 'eurc-ngn');
    fc.assert(
      fc.property(fc.array(fc.tuple(slug, corridor), { maxLength: 12 }), (pairs) => {
        const byKey = pairs.map((pair) => entryKey(...pair)).sort();
        const byPair = [...pairs].sort(([a, c], [b, d]) => (a === b ? compare(c, d) : compare(a, b)));
        expect(byKey).toEqual(byPair.map((pair) => entryKey(...pair)));
      }),
    );
  });

  it('is refused if there are two of one anchor and corridor', () => {
    const [one, two] = cardsOf(2).map(toEntry);
    if (one === undefined || two === undefined) throw new Error('two cards were asked for');
    expect(inOrder([two, one])).toEqual([one, two]);
    expect(() => inOrder([one, two, one])).toThrow(one.key);
  });
});

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

describe('the tree of a batch', () => {
  it.each([0, 1, 2, 3, 5, 8, 255, 256, 257, 767, 1300])(
    'of %i entries has the root and the proofs of RFC 6962',
    (size) => {
      const leaves = leavesOf(size);
      const tree = treeOver(leaves);
      expect(rootOf(tree)).toBe(toHex(merkleRoot(leaves)));
      for (const index of [0, 1, 254, 255, 256, size - 2, size - 1]) {
        if (index < 0 || index >= size) continue;
        expect(pathTo(tree, index)).toEqual(inclusionProof(leaves, index).map(toHex));
      }
    },
  );
});

const made = { at: new Date('2026-11-21T09:30:00.000Z'), keyId: '0123456789abcdef' };
describe('the next header', () => {
  const content = { root: 'ab'.repeat(32), size: 3 };
  const first = nextHeader(content, null, made);
  const latest = { header: first, headerHash: batchHeaderHash(first) };

  it('starts the chain, then continues it', () => {
    expect(first).toMatchObject({ sequence: 1, previous: null, createdAt: '2026-11-21T09:30:00.000Z' });
    const second = nextHeader(content, latest, { ...made, at: new Date('2026-11-21T09:35:00.000Z') });
    expect(second).toMatchObject({
      sequence: 2,
      previous: latest.headerHash,
      createdAt: '2026-11-21T09:35:00.000Z',
    });
  });

  it('never goes back in time, even if the clock of another instance does', () => {
    const second = nextHeader(content, latest, { ...made, at: new Date('2026-11-21T08:30:00.000Z') });
    expect(second.createdAt).toBe(first.createdAt);
  });

  it('is not made for unchanged entries, or for an empty first batch', () => {
    expect(isUnchanged(content, latest)).toBe(true);
    expect(isUnchanged({ ...content, root: 'cd'.repeat(32) }, latest)).toBe(false);
    expect(isUnchanged({ ...content, size: 0 }, null)).toBe(true);
    expect(isUnchanged(content, null)).toBe(false);
  });
});
