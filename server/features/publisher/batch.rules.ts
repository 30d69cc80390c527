import { createHash } from 'node:crypto';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { fromHex, toHex } from '../../../contract/verification/bytes.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { inclusionProof, merkleRoot } from '../../../contract/verification/merkle.js';
import type { BatchHead, BatchHeader } from '../../../contract/verification/verify-batch.js';

/**
 * Entries kept together. A power of two, so that every chunk is a whole subtree of the batch's RFC 6962 tree, the
 * last one included: the tree splits at the largest power of two, which is a multiple of this one or smaller.
 */
export const entriesPerChunk = 256;

/** A batch is held in memory while it is made, about 1 KB per entry. */
export const maxEntries = 200_000;

export interface Entry {
  key: string;
  /** The RFC 8785 form of the card, which is hashed, stored and sent. */
  text: string;
  /** Hex. */
  leafHash: string;
}

export interface Chunk {
  index: number;
  lastKey: string;
  entries: string[];
  leafHashes: string[];
  root: string;
}

const leafPrefix = Uint8Array.of(0);

/** Sorts as (anchor, corridor) does: a space comes before every character that either may contain. */
export function entryKey(anchorId: string, corridor: string): string {
  return `${anchorId} ${corridor}`;
}

/** Throws CanonicalJsonError on a card with a number that is no safe integer. */
export function toEntry(card: ScoreCard): Entry {
  const text = canonicalJson(card, { integersOnly: true });
  // At this size, OpenSSL's SHA-256 takes less than half the time of the contract's own, which is meant for browsers.
  const leafHash = createHash('sha256').update(leafPrefix).update(text).digest('hex');
  return { key: entryKey(card.anchorId, card.corridor), text, leafHash };
}

/** Puts entries in the order of the batch. Throws Error if two have the same key: no proof could distinguish them. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  const sorted = [...entries].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const twice = sorted.find((entry, index) => entry.key === sorted[index + 1]?.key);
  if (twice !== undefined) throw new Error(`there are two cards for ${twice.key}`);
  return sorted;
}

/** `entries` are those of one chunk: `entriesPerChunk` of them, or the last few; at least one. */
export function toChunk(entries: readonly Entry[], index: number): Chunk {
  const leafHashes = entries.map(({ leafHash }) => leafHash);
  return {
    index,
    lastKey: entries.at(-1)?.key ?? '',
    entries: entries.map(({ text }) => text),
    leafHashes,
    root: toHex(merkleRoot(leafHashes.map(fromHex))),
  };
}

/** Root of the batch in hex, from the roots of its chunks. */
export function batchRoot(chunks: readonly Pick<Chunk, 'root'>[]): string {
  return toHex(merkleRoot(chunks.map(({ root }) => fromHex(root))));
}

/** The inclusion proof of entry `at` of the chunk: within the chunk, then from its root to that of the batch. */
export function entryProofOf(place: {
  chunk: Pick<Chunk, 'index' | 'leafHashes'>;
  at: number;
  /** The roots of all chunks, in order; hex. */
  chunkRoots: readonly string[];
}): string[] {
  const { chunk, at, chunkRoots } = place;
  const within = inclusionProof(chunk.leafHashes.map(fromHex), at);
  const above = inclusionProof(chunkRoots.map(fromHex), chunk.index);
  return [...within, ...above].map(toHex);
}

/** The data of the previous batch that the next one depends on. */
export interface Predecessor {
  header: Pick<BatchHeader, 'sequence' | 'createdAt' | 'root' | 'size'>;
  headerHash: string;
}

/** The head of the log whose latest batch this is; null for an empty log. */
export function headOf(latest: { _id: number; headerHash: string } | null): BatchHead | null {
  return latest === null ? null : { sequence: latest._id, headerHash: latest.headerHash };
}

export interface Content {
  root: string;
  size: number;
  formula: string;
}

/** Whether a batch with this content would contain nothing new after `latest`, the one before by the same formula. */
export function isUnchanged(content: Content, latest: Predecessor | null): boolean {
  if (latest === null) return content.size === 0;
  const { root, size } = latest.header;
  return root === content.root && size === content.size;
}

/** The header that follows `latest`. Its time never precedes that of `latest`, whatever a new primary's clock says. */
export function nextHeader(
  content: Content,
  latest: Predecessor | null,
  made: { at: Date; keyId: string },
): BatchHeader {
  const floorMs = latest === null ? 0 : Date.parse(latest.header.createdAt);
  return {
    version: 1,
    sequence: (latest?.header.sequence ?? 0) + 1,
    previous: latest?.headerHash ?? null,
    root: content.root,
    size: content.size,
    formula: content.formula,
    createdAt: new Date(Math.max(made.at.getTime(), floorMs)).toISOString(),
    keyId: made.keyId,
  };
}
