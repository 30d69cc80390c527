import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { formula } from '../../../contract/verification/formulas.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import {
  type BatchHead,
  type BatchHeader,
  type BatchKey,
  batchKeyId,
  batchSigningBytes,
  verifyBatch,
} from '../../../contract/verification/verify-batch.js';
import { leafHashOf } from './merkle-tree.rules.js';

/** The entries of a batch are one document, which MongoDB bounds at 16 MB: 10,000 of the longest cards are 6.7 MB. */
export const maxEntries = 10_000;

export interface Entry {
  key: string;
  /** The RFC 8785 form of the card, which is hashed, stored and sent. */
  text: string;
  leafHash: Buffer;
}

/** Throws CanonicalJsonError on a card with a number that is no safe integer. */
export function toEntry(card: ScoreCard): Entry {
  const text = canonicalJson(card, { integersOnly: true });
  return { key: entryKey(card.anchorId, card.corridor), text, leafHash: leafHashOf(text) };
}

/** The previous batch, as far as the next one depends on it. */
interface Predecessor {
  header: Pick<BatchHeader, 'sequence' | 'createdAt' | 'root' | 'size'>;
  headerHash: string;
}

/** The head of the log whose latest batch this is; null for an empty log. */
export function headOf(latest: { _id: number; headerHash: string } | null): BatchHead | null {
  return latest === null ? null : { sequence: latest._id, headerHash: latest.headerHash };
}

type Content = Pick<BatchHeader, 'root' | 'size'>;

/** Whether a batch with this content would contain nothing new after `latest`. */
export function isUnchanged(content: Content, latest: Predecessor | null): boolean {
  if (latest === null) return content.size === 0;
  const { root, size } = latest.header;
  return root === content.root && size === content.size;
}

/** The header that follows `latest`. Its time never precedes that of `latest`, whatever the clock of this machine says. */
export function nextHeader(
  { root, size }: Content,
  latest: Predecessor | null,
  made: { at: Date; keyId: string },
): BatchHeader {
  const floorMs = latest === null ? 0 : Date.parse(latest.header.createdAt);
  return {
    version: 1,
    sequence: (latest?.header.sequence ?? 0) + 1,
    previous: latest?.headerHash ?? null,
    root,
    size,
    formula,
    createdAt: new Date(Math.max(made.at.getTime(), floorMs)).toISOString(),
    keyId: made.keyId,
  };
}

export interface Signer extends BatchKey {
  /** Base64. Throws Error if the signature does not verify: a faulty one must not get into the chain. */
  sign(header: BatchHeader): string;
}

/** The bytes that precede the 32 bytes of a seed in PKCS #8 (RFC 8410 section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: 64 hex digits. Signs with OpenSSL and checks with the verifier that clients use. */
export function createSigner(seed: string): Signer {
  const secretKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, Buffer.from(seed, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = createPublicKey(secretKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const key = publicBatchKey(raw);
  return {
    ...key,
    sign(header) {
      const signature = sign(null, batchSigningBytes(header), secretKey).toString('base64');
      const verdict = verifyBatch({ header, signature, keys: [key] });
      if (!verdict.ok) throw new Error(`the batch just signed does not verify: ${verdict.reason}`);
      return signature;
    },
  };
}

/** A key as it is listed, from its 32 bytes. */
export function publicBatchKey(raw: Uint8Array): BatchKey {
  return { keyId: batchKeyId(raw), publicKey: encodePublicKey(raw) };
}

/** Puts entries in the order of the batch. Throws Error if two have the same key: no proof could distinguish them. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  const sorted = [...entries].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const twice = sorted.find((entry, index) => entry.key === sorted[index + 1]?.key);
  if (twice !== undefined) throw new Error(`there are two cards for ${twice.key}`);
  return sorted;
}

/** Sorts as (anchor, corridor) does: a space comes before every character that either may contain. */
export function entryKey(anchorId: string, corridor: string): string {
  return `${anchorId} ${corridor}`;
}
