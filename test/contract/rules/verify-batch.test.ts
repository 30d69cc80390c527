import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
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
import {
  type ReceiptFault,
  receiptFault,
  receiptSigningBytes,
} from '../../../contract/verification/verify-receipt.js';
import { inclusionProof, merkleRoot } from '../../fixtures/publisher/merkle.js';
import { expectFor } from '../../support/expect-for.js';

/** Signs with OpenSSL, so that signer and verifier are not one library. */
function signer(seedByte: number) {
  const seed = Buffer.alloc(32, seedByte);
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    key: { keyId: batchKeyId(publicKey), publicKey: encodePublicKey(publicKey) },
    sign: (header: BatchHeader) => sign(null, batchSigningBytes(header), secret).toString('base64'),
    signBytes: (bytes: Uint8Array) => sign(null, bytes, secret).toString('base64'),
  };
}

const publisher = signer(7);
const stranger = signer(8);

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
  });

  it('is no entry that other languages would write differently', () => {
    for (const value of [0.5, 2 ** 53, Number.NaN, '\ud800', undefined])
      expect(() => entryLeafHash({ value: [value] })).toThrow(CanonicalJsonError);
    for (const entry of [null, [], 'x', 1])
      expect(() => entryLeafHash(entry as unknown as BatchEntry)).toThrow(CanonicalJsonError);
  });
});

/** A header over these entries, signed by the publisher. */
const holding = (held: readonly BatchEntry[]) => {
  const changed = headerOf(held);
  return { header: changed, signature: publisher.sign(changed), entries: held };
};
const [first = {}, second = {}, ...rest] = entries;
const before = { sequence: 1, headerHash: batchHeaderHash(header) };
const next = signed({ sequence: 2, previous: before.headerHash });
const { signature } = batch;
const { keyId } = publisher.key;
const otherHash = { ...before, headerHash: 'ab'.repeat(32) };
const hexSignature = toHex(Buffer.from(signature, 'base64'));
/** Under this small-order key any signature verifies. */
const identity = fromHex(`01${'00'.repeat(31)}`);
const identityKey = { keyId: batchKeyId(identity), publicKey: encodePublicKey(identity) };
const forged = {
  header: headerOf(entries, { keyId: identityKey.keyId }),
  signature: Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64'),
  keys: [identityKey],
};

describe('verifyBatch', () => {
  it('returns the header hash of a signed batch, with its entries or without', () => {
    expect(verifyBatch(batch)).toEqual({ ok: true, headerHash: before.headerHash });
    const { entries: _entries, ...headerAlone } = batch;
    expect(verifyBatch(headerAlone).ok).toBe(true);
  });

  it.each<[BatchFault | 'ok', string, Partial<BatchToVerify>]>([
    ['ok', 'one of several keys', { keys: [stranger.key, publisher.key] }],
    ['unknown_key', 'no key', { keys: [] }],
    ['unknown_key', 'the key of a stranger', { keys: [stranger.key] }],
    ['malformed_key', "a stranger's key by our id", { keys: [{ ...stranger.key, keyId }] }],
    ['malformed_key', 'a key that is none', { keys: [{ ...publisher.key, publicKey: 'G' }] }],
    ['malformed_key', 'a small-order key', forged],
    ['bad_signature', 'the signature of a stranger', { signature: stranger.sign(header) }],
    ['bad_signature', 'no signature', { signature: '' }],
    ['bad_signature', 'a signature without padding', { signature: signature.replace(/=+$/, '') }],
    ['bad_signature', 'a signature after a space', { signature: ` ${signature}` }],
    ['bad_signature', 'a signature before a line break', { signature: `${signature}\n` }],
    ['bad_signature', 'a signature in hex', { signature: hexSignature }],
    ['ok', 'no entries, as the header says', holding([])],
    ['unknown_formula', 'a formula that is not known, though it is signed', signed({ formula: 'v3' })],
    ['formula_mismatch', 'an entry by another formula', holding([first, { ...second, formula: 'v2' }])],
    ['formula_mismatch', 'an entry whose formula is null', holding([first, { ...second, formula: null }])],
    ['formula_mismatch', 'an entry by no formula', holding([first, { anchorId: 'nameless' }])],
    ['ok', 'a link that nobody asks about', next],
    ['ok', 'the link to the batch before', { ...next, previous: before }],
    ['ok', 'no link of the first', { previous: null }],
    ['broken_chain', 'a link where there is no batch before', { ...next, previous: null }],
    ['broken_chain', 'the link to another sequence', { ...next, previous: { ...before, sequence: 2 } }],
    ['broken_chain', 'the link to another', { ...next, previous: otherHash }],
    ['broken_chain', 'no link where there is a batch before', { previous: before }],
    ['broken_chain', 'no link of the second', signed({ sequence: 2, previous: null })],
    ['broken_chain', 'a link of the first', signed({ sequence: 1, previous: 'ab'.repeat(32) })],
    ['size_mismatch', 'an entry less', { entries: entries.slice(1) }],
    ['size_mismatch', 'an entry more', { entries: [...entries, ...entries.slice(-1)] }],
    ['root_mismatch', 'swapped entries', { entries: [second, first, ...rest] }],
    ['root_mismatch', 'an entry twice', { entries: [first, first, ...rest] }],
    ['malformed_entry', 'half an outcome', { entries: [first, { ...second, outcomes: 0.5 }, ...rest] }],
    ['malformed_entry', 'an entry that is null', { entries: [first, null as never, ...rest] }],
  ])('says `%s` of %s', (fault, _name, changes) => expect(faultOf(changes)).toBe(fault));

  it('reads no more than one entry beyond the count', () => {
    let read = 0;
    function* tooMany(): Generator<BatchEntry> {
      for (; read < 1000; read += 1) yield first;
    }
    expect(faultOf({ entries: tooMany() })).toBe('size_mismatch');
    expect(read).toBe(header.size);
  });
});

/** An object with each of its members left out or changed to another value, and with one more, in turn. */
function changesOf(of: object): Record<string, unknown>[] {
  const numbers = [0, 7, -1, 0.5, Number.NaN];
  const texts = ['', 'v2', 'ab'.repeat(8), 'ab'.repeat(32), '2026-11-21T09:30:00.001Z'];
  const values = [undefined, null, [], {}, ...numbers, ...texts];
  const changed = Object.keys(of).flatMap((member) => values.map((value) => ({ [member]: value })));
  return [...changed, { added: null }].map((change) => ({ ...of, ...change }));
}

describe('changed batches are refused', () => {
  it('in every member of the header', () => {
    for (const changed of changesOf(next.header))
      expectFor(
        JSON.stringify(changed),
        faultOf({ ...next, header: changed as unknown as BatchHeader }),
      ).not.toBe('ok');
  });

  it('in every member of every entry, within the batch and within a proof', () => {
    const hashes = entries.map(entryLeafHash);
    for (const [index, original] of entries.entries()) {
      const claim = { index, size: 5, proof: inclusionProof(hashes, index).map(toHex), header };
      expect(verifyEntry({ ...claim, entry: original })).toBe(true);
      for (const entry of changesOf(original)) {
        const changed = entries.map((each, at) => (at === index ? entry : each));
        expect(verifyEntry({ ...claim, entry })).toBe(false);
        expect(['root_mismatch', 'malformed_entry', 'formula_mismatch']).toContain(
          faultOf({ entries: changed }),
        );
      }
    }
  });
});

describe('verifyEntry', () => {
  const claimOf = (index: number) => {
    const proof = inclusionProof(entries.map(entryLeafHash), index).map(toHex);
    return { entry: entries[index] ?? {}, index, size: 5, proof, header };
  };

  // The last of five entries is one level below the root; in a tree of eight its path would be longer.
  const claim = claimOf(4);
  const { proof } = claim;
  it.each<[string, object]>([
    ['another size', { size: 6 }],
    // The path of the second entry would be the same among eight entries; only the signed size shows the difference.
    ['another size than the signed one', { ...claimOf(1), size: 8 }],
    ['another size in the header', { header: { ...header, size: 8 }, size: 8 }],
    ['a root that is none', { header: { ...header, root: 'x' } }],
    ['an unknown formula', { header: signed({ formula: 'v3' }).header }],
    ['an entry that is none', { entry: { value: 0.5 } }],
    ['no step', { proof: [] }],
    ['a step less', { proof: proof.slice(1) }],
    ['a step more', { proof: [...proof, header.root] }],
    ['steps in capitals', { proof: proof.map((text) => text.toUpperCase()) }],
    ['a step that is no hex', { proof: ['zz', ...proof.slice(1)] }],
    // What is read from an answer need not have the declared type.
    ...[null, {}, 'ab', [null], [5]].map((proof): [string, object] => [JSON.stringify(proof), { proof }]),
  ])('is false for %s', (_name, changes) => {
    expect(verifyEntry(claim)).toBe(true);
    expect(verifyEntry({ ...claim, ...changes })).toBe(false);
  });
});

describe('receiptFault', () => {
  const of = { version: 1 as const, oracle: stranger.key.publicKey, receivedAt: '2026-11-21T09:31:00.000Z' };
  const unsigned = { ...of, ...before, signature: '' };
  const receipt = { ...unsigned, signature: stranger.signBytes(receiptSigningBytes(unsigned)) };
  const oracle = encodePublicKey(identity);
  const later = '2026-11-21T09:31:00.001Z';
  it.each<[ReceiptFault | null, string, unknown, string?]>([
    [null, 'a receipt', receipt],
    [null, 'a receipt of the oracle that is asked for', receipt, receipt.oracle],
    ['other_oracle', 'a receipt of another oracle', receipt, publisher.key.publicKey],
    ['malformed_receipt', 'nothing', null],
    ['malformed_receipt', 'a receipt without a time', { ...receipt, receivedAt: undefined }],
    ['other_batch', 'a receipt of another sequence', { ...receipt, sequence: 2 }],
    ['other_batch', 'a receipt of another header', { ...receipt, headerHash: 'ab'.repeat(32) }],
    ['bad_receipt_signature', 'another time than the signed one', { ...receipt, receivedAt: later }],
    ['bad_receipt_signature', 'a small-order key', { ...receipt, oracle, signature: forged.signature }],
    ['bad_receipt_signature', 'a signature that is no base64', { ...receipt, signature: '!' }],
  ])('says `%s` of %s', (fault, _name, ...[given, by]) =>
    expect(receiptFault(given, before, by)).toBe(fault),
  );
});

function entriesOf(size: number): BatchEntry[] {
  return Array.from({ length: size }, (_, index) => {
    const scored = { outcomes: 30 + index, score: `${90 - index}.25`, state: 'scored', formula: 'v1' };
    return { anchorId: `anchor-${index}`, corridor: 'usdc-ngn', ...scored };
  });
}
