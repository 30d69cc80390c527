import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromHex, toHex } from '../../../contract/verification/bytes.js';
import { CanonicalJsonError } from '../../../contract/verification/canonical-json.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import {
  type BatchEntry,
  type BatchFault,
  type BatchHeader,
  type BatchToVerify,
  batchHeaderHash,
  batchKeyId,
  batchSigningBytes,
  entryLeafHash,
  verifyBatch,
  verifyEntry,
} from '../../../contract/verification/verify-batch.js';
import { inclusionProof, merkleRoot } from '../../fixtures/publisher/merkle.js';
import { propertyRuns } from '../../support/property-runs.js';

/** Signs with OpenSSL, so that signer and verifier are not one library. */
function signer(seedByte: number) {
  const seed = Buffer.alloc(32, seedByte);
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    key: { keyId: batchKeyId(publicKey), publicKey: encodePublicKey(publicKey) },
    sign: (header: BatchHeader) => sign(null, batchSigningBytes(header), secret).toString('base64'),
  };
}

const publisher = signer(7);
const stranger = signer(8);

const entriesOf = (size: number): BatchEntry[] =>
  Array.from({ length: size }, (_, index) => ({
    anchorId: `anchor-${index}`,
    corridor: 'usdc-ngn',
    outcomes: 30 + index,
    score: `${90 - index}.25`,
    state: 'scored',
    formula: 'v1',
  }));

function headerOf(entries: readonly BatchEntry[], changes: Partial<BatchHeader> = {}): BatchHeader {
  return {
    version: 1,
    sequence: 1,
    previous: null,
    root: toHex(merkleRoot(entries.map(entryLeafHash))),
    size: entries.length,
    formula: 'v1',
    createdAt: '2026-11-21T09:30:00.000Z',
    keyId: publisher.key.keyId,
    ...changes,
  };
}

const entries = entriesOf(5);
const header = headerOf(entries);
const batch: BatchToVerify = { header, signature: publisher.sign(header), entries, keys: [publisher.key] };

function faultOf(changes: Partial<BatchToVerify>): BatchFault | 'ok' {
  const verdict = verifyBatch({ ...batch, ...changes });
  return verdict.ok ? 'ok' : verdict.reason;
}

/** A header with these changes, invalid or not, signed by its own key. */
const signed = (changes: Partial<BatchHeader>) => {
  const changed = headerOf(entries, changes);
  return { header: changed, signature: publisher.sign(changed) };
};

describe('what is signed', () => {
  it('is the context line and the hex hash of the canonical header, to the byte', () => {
    const canonical =
      `{"createdAt":"2026-11-21T09:30:00.000Z","formula":"v1","keyId":"${header.keyId}","previous":null,` +
      `"root":"${header.root}","sequence":1,"size":5,"version":1}`;
    const hash = createHash('sha256').update(canonical).digest('hex');
    expect(batchHeaderHash(header)).toBe(hash);
    expect(Buffer.from(batchSigningBytes(header)).toString('latin1')).toBe(`fairlead.batch.v1\n${hash}`);
    expect(batchSigningBytes(header)).toHaveLength(82);
  });

  it('refuses to hash an entry that other languages would write differently', () => {
    for (const value of [0.5, 2 ** 53, Number.NaN, '\ud800', undefined]) {
      expect(() => entryLeafHash({ value: [value] })).toThrow(CanonicalJsonError);
    }
    for (const entry of [null, [], 'x', 1]) {
      expect(() => entryLeafHash(entry as unknown as BatchEntry)).toThrow(CanonicalJsonError);
    }
  });
});

describe('verifyBatch', () => {
  it('accepts a signed batch with its entries, and returns its header hash', () => {
    expect(verifyBatch(batch)).toEqual({ ok: true, headerHash: batchHeaderHash(header) });
    const { entries: _entries, ...headerAlone } = batch;
    expect(verifyBatch(headerAlone).ok).toBe(true);
    expect(faultOf({ keys: [stranger.key, publisher.key] })).toBe('ok');
  });

  it('accepts an empty batch', () => {
    const empty = headerOf([]);
    expect(faultOf({ header: empty, signature: publisher.sign(empty), entries: [] })).toBe('ok');
  });

  it('refuses a formula that it does not know, though the key it trusts signed it', () => {
    const unknown = signed({ formula: 'v3' });
    expect(faultOf(unknown)).toBe('unknown_formula');
    const proof = inclusionProof(entries.map(entryLeafHash), 2).map(toHex);
    const claim = { entry: entries[2] as BatchEntry, index: 2, size: 5, proof };
    expect(verifyEntry({ ...claim, header })).toBe(true);
    expect(verifyEntry({ ...claim, header: unknown.header })).toBe(false);
  });

  it('refuses entries that follow another formula than the header names, or name none', () => {
    const signedWith = (held: readonly BatchEntry[]) => {
      const changed = headerOf(held);
      return faultOf({ header: changed, signature: publisher.sign(changed), entries: held });
    };
    const [first, second] = entriesOf(2);
    expect(signedWith(entriesOf(2))).toBe('ok');
    for (const formula of ['v2', null, undefined])
      expect(signedWith([first ?? {}, { ...second, formula }])).toBe('formula_mismatch');
    expect(signedWith([first ?? {}, { anchorId: 'nameless' }])).toBe('formula_mismatch');
  });

  it('checks the link to the previous batch, to none for the first, and not at all without `previous`', () => {
    const previous = { sequence: 1, headerHash: batchHeaderHash(header) };
    const second = signed({ sequence: 2, previous: previous.headerHash });
    expect(faultOf(second)).toBe('ok');
    expect(faultOf({ ...second, previous })).toBe('ok');
    expect(faultOf({ ...second, previous: null })).toBe('broken_chain');
    expect(faultOf({ ...second, previous: { ...previous, sequence: 2 } })).toBe('broken_chain');
    expect(faultOf({ ...second, previous: { ...previous, headerHash: 'ab'.repeat(32) } })).toBe(
      'broken_chain',
    );
    expect(faultOf({ previous: null })).toBe('ok');
    expect(faultOf({ previous })).toBe('broken_chain');
    expect(faultOf(signed({ sequence: 2, previous: null }))).toBe('broken_chain');
    expect(faultOf(signed({ sequence: 1, previous: 'ab'.repeat(32) }))).toBe('broken_chain');
  });

  it('tells unknown, false and unusable keys apart', () => {
    expect(faultOf({ keys: [] })).toBe('unknown_key');
    expect(faultOf({ keys: [stranger.key] })).toBe('unknown_key');
    expect(faultOf({ keys: [{ ...stranger.key, keyId: publisher.key.keyId }] })).toBe('malformed_key');
    expect(faultOf({ keys: [{ ...publisher.key, publicKey: 'G' }] })).toBe('malformed_key');
    expect(faultOf({ signature: stranger.sign(header) })).toBe('bad_signature');
  });

  it('refuses a small-order key, under which any signature verifies', () => {
    const identity = fromHex(`01${'00'.repeat(31)}`);
    const key = { keyId: batchKeyId(identity), publicKey: encodePublicKey(identity) };
    const forged = Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64');
    const changed = headerOf(entries, { keyId: key.keyId });
    expect(faultOf({ header: changed, signature: forged, keys: [key] })).toBe('malformed_key');
  });

  it('refuses a signature of another spelling or over other bytes', () => {
    const { signature } = batch;
    const unpadded = signature.replace(/=+$/, '');
    for (const text of [
      '',
      unpadded,
      ` ${signature}`,
      `${signature}\n`,
      toHex(Buffer.from(signature, 'base64')),
    ]) {
      expect(faultOf({ signature: text })).toBe('bad_signature');
    }
  });

  it('counts the entries, and reads no more than one beyond the count', () => {
    let read = 0;
    function* tooMany(): Generator<BatchEntry> {
      for (; read < 1000; read += 1) yield entries[0] ?? {};
    }
    expect(faultOf({ entries: tooMany() })).toBe('size_mismatch');
    expect(read).toBe(header.size);
    expect(faultOf({ entries: entries.slice(1) })).toBe('size_mismatch');
    expect(faultOf({ entries: [...entries, ...entries.slice(-1)] })).toBe('size_mismatch');
  });

  it('refuses swapped, duplicated or malformed entries', () => {
    const [first = {}, second = {}, ...rest] = entries;
    expect(faultOf({ entries: [second, first, ...rest] })).toBe('root_mismatch');
    expect(faultOf({ entries: [first, first, ...rest] })).toBe('root_mismatch');
    expect(faultOf({ entries: [first, { ...second, outcomes: 0.5 }, ...rest] })).toBe('malformed_entry');
    expect(faultOf({ entries: [first, null as unknown as BatchEntry, ...rest] })).toBe('malformed_entry');
  });
});

/** Changes to one header member, well-formed and malformed. */
const headerMutation: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc
    .constantFrom('root', 'previous')
    .chain((member) =>
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => ({ [member]: toHex(bytes) })),
    ),
  fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => ({ keyId: toHex(bytes) })),
  fc
    .constantFrom('sequence', 'size', 'version')
    .chain((member) =>
      fc.oneof(fc.nat(), fc.double(), fc.string(), fc.constant(null)).map((value) => ({ [member]: value })),
    ),
  fc.integer({ min: 2, max: 9999 }).map((number) => ({ formula: `v${number}` })),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => ({
    createdAt: date.toISOString(),
  })),
  fc.constantFrom(...Object.keys(header)).map((member) => ({ [member]: undefined })),
  fc.string({ minLength: 1 }).map((member) => ({ [`x${member}`]: 1 })),
  fc.jsonValue().map((value) => ({ keyId: value })),
);

const entryMutation = fc.oneof(
  fc
    .constantFrom('anchorId', 'corridor', 'score', 'state')
    .chain((member) => fc.string().map((value) => ({ [member]: `${value}!` }))),
  fc.integer({ min: 1000 }).map((outcomes) => ({ outcomes })),
  fc
    .constantFrom('anchorId', 'corridor', 'score', 'state', 'outcomes')
    .map((member) => ({ [member]: undefined })),
  fc.string({ minLength: 1 }).map((member) => ({ [`x${member}`]: null })),
);

describe('mutated batches are refused', () => {
  const second = signed({ sequence: 2, previous: batchHeaderHash(header) });

  it('in every random header', () => {
    fc.assert(
      fc.property(headerMutation, (mutation) => {
        const changed = { ...second.header, ...mutation } as BatchHeader;
        fc.pre(JSON.stringify(changed) !== JSON.stringify(second.header));
        expect(faultOf({ ...second, header: changed })).not.toBe('ok');
      }),
      { numRuns: propertyRuns(1_500) },
    );
  }, 60_000);

  it('in every random entry, within the batch and within a proof', () => {
    const hashes = entries.map(entryLeafHash);
    fc.assert(
      fc.property(fc.nat(4), entryMutation, (index, mutation) => {
        const original = entries[index] ?? {};
        const entry: BatchEntry = { ...original, ...mutation };
        expect(JSON.stringify(entry)).not.toBe(JSON.stringify(original));
        const changed = entries.map((each, at) => (at === index ? entry : each));
        const proof = inclusionProof(hashes, index).map(toHex);
        const claim = { index, size: 5, proof, header };
        expect(verifyEntry({ ...claim, entry: original })).toBe(true);
        expect(verifyEntry({ ...claim, entry })).toBe(false);
        expect(['root_mismatch', 'malformed_entry']).toContain(faultOf({ entries: changed }));
      }),
      { numRuns: propertyRuns(1_500) },
    );
  }, 60_000);
});

describe('verifyEntry', () => {
  const claimOf = (index: number) => ({
    entry: entries[index] ?? {},
    index,
    size: 5,
    proof: inclusionProof(entries.map(entryLeafHash), index).map(toHex),
    header,
  });

  it('is false for another size, a malformed header and malformed proofs', () => {
    // The last of five entries is one level below the root; in a tree of eight its path would be longer.
    const claim = claimOf(4);
    const { proof } = claim;
    expect(verifyEntry({ ...claim, size: 6 })).toBe(false);
    // The path of the second entry would be the same among eight entries; only the signed size shows the difference.
    expect(verifyEntry({ ...claimOf(1), size: 8 })).toBe(false);
    expect(verifyEntry({ ...claim, header: { ...header, size: 8 }, size: 8 })).toBe(false);
    expect(verifyEntry({ ...claim, header: { ...header, root: 'x' } })).toBe(false);
    expect(verifyEntry({ ...claim, entry: { value: 0.5 } })).toBe(false);
    for (const changed of [
      [],
      proof.slice(1),
      [...proof, header.root],
      proof.map((text) => text.toUpperCase()),
    ]) {
      expect(verifyEntry({ ...claim, proof: changed })).toBe(false);
    }
    expect(verifyEntry({ ...claim, proof: ['zz', ...proof.slice(1)] })).toBe(false);
    // What is read from an answer need not have the declared type.
    for (const other of [null, {}, 'ab', [null], [5]] as unknown as string[][])
      expect(verifyEntry({ ...claim, proof: other })).toBe(false);
  });
});
