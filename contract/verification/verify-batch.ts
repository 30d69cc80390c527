import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { instant } from '../schemas/primitives.js';
import { fromBase64, fromHex, toHex, utf8 } from './bytes.js';
import { CanonicalJsonError, canonicalJson } from './canonical-json.js';
import { verifyEd25519 } from './ed25519.js';
import { formulaOfEntry, isKnownFormula } from './formulas.js';
import { createMerkleAccumulator, leafHash, verifyInclusion } from './merkle.js';
import { isSmallOrder, parsePublicKey, StrkeyError } from './strkey.js';

/**
 * What the publisher signs, to the byte:
 *
 * - leaf of an entry = SHA-256(0x00 ‖ UTF-8 of the entry's RFC 8785 form); its numbers are integers below 2⁵³
 * - root = RFC 6962 Merkle root over the leaves in the order of the entries
 * - header hash = SHA-256(UTF-8 of the header's RFC 8785 form), the eight members below and no others
 * - signature = Ed25519 over the 82 bytes `fairlead.batch.v1\n` ‖ 64 lower-case hex digits of the header hash
 * - `previous` = header hash of the batch before, null in the first, whose sequence is 1
 * - key id = first 16 hex digits of SHA-256 of the 32-byte public key
 */
const SIGNING_CONTEXT = 'fairlead.batch.v1\n';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

export const batchHeader = z
  .object({
    version: z.literal(1).describe('Version of this form.'),
    sequence: z
      .number()
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .describe('1 for the first batch, then one more each.'),
    previous: hash.nullable().describe('Header hash of the batch before; null in the first.'),
    root: hash.describe('RFC 6962 Merkle root over the entries.'),
    size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).describe('Number of entries.'),
    formula: z
      .string()
      .regex(/^v[1-9]\d{0,3}$/)
      .describe('Score formula of every entry: `v1`; refuse one that you do not know.'),
    createdAt: instant.describe('When it was made.'),
    keyId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('First 16 hex digits of SHA-256 of the public key.'),
  })
  .strict()
  .describe('What is signed of a batch; its hash is that of its RFC 8785 form.');
export type BatchHeader = z.infer<typeof batchHeader>;

/** A published entry, of which the proof needs only that it is a JSON object of strings, integers and the like. */
export type BatchEntry = object;

/** A trusted key of the publisher. */
export interface BatchKey {
  keyId: string;
  /** `G…` or 64 hex digits. */
  publicKey: string;
}

/** What identifies a batch, such as the previous one: from its header, or stored by an earlier check. */
export interface BatchHead {
  sequence: number;
  headerHash: string;
}

/** First 16 hex digits of SHA-256 of the 32 key bytes. */
export function batchKeyId(publicKey: Uint8Array): string {
  return toHex(sha256(publicKey)).slice(0, 16);
}

/** SHA-256 of the RFC 8785 form of the header, hex. Throws ZodError on a header of another form. */
export function batchHeaderHash(header: BatchHeader): string {
  return toHex(sha256(utf8(canonicalJson(batchHeader.parse(header)))));
}

/** The bytes that are signed. Throws ZodError on a header of another form. */
export function batchSigningBytes(header: BatchHeader): Uint8Array {
  return utf8(SIGNING_CONTEXT + batchHeaderHash(header));
}

/** Leaf hash of an entry. Throws CanonicalJsonError if it is no object, or holds a number that is no safe integer. */
export function entryLeafHash(entry: BatchEntry): Uint8Array {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new CanonicalJsonError('$', 'is not an object');
  }
  return leafHash(utf8(canonicalJson(entry, { integersOnly: true })));
}

/** The faults of a batch, with their meanings. */
export const batchFaults = {
  malformed_header: 'The header lacks a member, has another one, or one of another form.',
  broken_chain: 'The header does not follow the batch before it.',
  unknown_formula: 'The header names a score formula that this verifier does not know: it may be too old.',
  unknown_key: 'None of the keys has the id that the header names.',
  malformed_key: 'The key of that id is no usable Ed25519 key, or the id is not its own.',
  bad_signature: 'The signature does not verify under the key.',
  size_mismatch: 'There are more or fewer entries than the header says.',
  malformed_entry: 'An entry is not a JSON object with integers below 2^53.',
  formula_mismatch: 'An entry follows another formula than the header names.',
  root_mismatch: 'The entries do not have the root that was signed: one was changed, moved or exchanged.',
} as const;

export type BatchFault = keyof typeof batchFaults;

export type BatchVerification = { ok: true; headerHash: string } | { ok: false; reason: BatchFault };

/** A batch as the service answers it, and the data it is checked against. */
export interface BatchToVerify {
  header: BatchHeader;
  /** 64 bytes in standard base64. */
  signature: string;
  /** Every entry, in order; when absent, only the header is checked. */
  entries?: Iterable<BatchEntry>;
  /** Trusted keys, obtained once from a source other than the batch. */
  keys: readonly BatchKey[];
  /** The previous batch; null if this one must be the first; when absent, the link is not checked. */
  previous?: BatchHead | null;
}

function followsPrevious(header: BatchHeader, previous: BatchHead | null | undefined): boolean {
  if ((header.sequence === 1) !== (header.previous === null)) return false;
  if (previous === undefined) return true;
  if (previous === null) return header.sequence === 1;
  return header.sequence === previous.sequence + 1 && header.previous === previous.headerHash;
}

function signatureFault(
  header: BatchHeader,
  signature: string,
  keys: readonly BatchKey[],
): BatchFault | null {
  const listed = keys.find((candidate) => candidate.keyId === header.keyId);
  if (listed === undefined) return 'unknown_key';
  try {
    const { key } = parsePublicKey(listed.publicKey);
    if (isSmallOrder(key) || batchKeyId(key) !== listed.keyId) return 'malformed_key';
    return verifyEd25519(fromBase64(signature), batchSigningBytes(header), key) ? null : 'bad_signature';
  } catch (error) {
    if (error instanceof StrkeyError) return 'malformed_key';
    // No base64, or no text at all: what is read from an answer may be anything.
    return 'bad_signature';
  }
}

function entriesFault(header: BatchHeader, entries: Iterable<BatchEntry>): BatchFault | null {
  const tree = createMerkleAccumulator();
  let size = 0;
  try {
    for (const entry of entries) {
      size += 1;
      if (size > header.size) return 'size_mismatch';
      tree.append(entryLeafHash(entry));
      if (formulaOfEntry(entry) !== header.formula) return 'formula_mismatch';
    }
  } catch (error) {
    if (error instanceof CanonicalJsonError) return 'malformed_entry';
    throw error;
  }
  if (size !== header.size) return 'size_mismatch';
  return toHex(tree.root()) === header.root ? null : 'root_mismatch';
}

/** Checks form, chain, signature and, where given, the entries of one batch; `batchFaults` explains a reason. */
export function verifyBatch({
  header,
  signature,
  entries,
  keys,
  previous,
}: BatchToVerify): BatchVerification {
  if (!batchHeader.safeParse(header).success) return { ok: false, reason: 'malformed_header' };
  if (!isKnownFormula(header.formula)) return { ok: false, reason: 'unknown_formula' };
  if (!followsPrevious(header, previous)) return { ok: false, reason: 'broken_chain' };
  const fault =
    signatureFault(header, signature, keys) ?? (entries === undefined ? null : entriesFault(header, entries));
  return fault === null ? { ok: true, headerHash: batchHeaderHash(header) } : { ok: false, reason: fault };
}

/** An entry and its proof, as `GET /api/publisher/batches/{sequence}/proof` answers them. */
export interface EntryClaim {
  entry: BatchEntry;
  index: number;
  /** Number of entries according to the sender of the proof; must equal that of the header. */
  size: number;
  /** Sibling hashes in hex, from leaf to root. */
  proof: readonly string[];
  header: BatchHeader;
}

/**
 * Whether the batch with this header has the entry at `index`. The header itself is not verified: do that with
 * `verifyBatch` first. Malformed input is false, as is an entry or a header of an unknown formula.
 */
export function verifyEntry({ entry, index, size, proof, header }: EntryClaim): boolean {
  if (!batchHeader.safeParse(header).success || size !== header.size) return false;
  if (!isKnownFormula(header.formula)) return false;
  try {
    const leaf = entryLeafHash(entry);
    if (formulaOfEntry(entry) !== header.formula) return false;
    return verifyInclusion({
      leafHash: leaf,
      index,
      size,
      proof: proof.map(fromHex),
      root: fromHex(header.root),
    });
  } catch {
    // What is read from an answer may be anything; what cannot be checked is not proved.
    return false;
  }
}
