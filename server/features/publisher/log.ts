import type {
  BatchEntries,
  BatchPage,
  EntryProof,
  PublishedBatch,
} from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { BatchHeader } from '../../../contract/verification/verify-batch.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { readCursor, toPage, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';
import { entriesPerChunk, entryKey, entryProofOf } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';

/** Reads the published log. */
export interface BatchLog {
  list(query: ListQuery): Promise<BatchPage>;
  /** Throws UNKNOWN_BATCH. */
  get(sequence: number): Promise<PublishedBatch>;
  /** Throws UNKNOWN_BATCH, and INVALID_REQUEST for a cursor that was never issued. */
  entries(sequence: number, query: { limit: number; cursor: string | undefined }): Promise<BatchEntries>;
  /** The entries of a batch from this one on; null for a batch that does not exist. */
  entriesFrom(
    sequence: number,
    start: number,
    limit: number,
  ): Promise<{ header: BatchHeader; items: ScoreCard[] } | null>;
  /** Throws UNKNOWN_BATCH. Reads one chunk and the roots of the others, however many entries there are. */
  prove(sequence: number, entry: { anchor: string; corridor: string }): Promise<EntryProof>;
}

export interface ListQuery {
  /** Default: `desc`. */
  order?: 'asc' | 'desc' | undefined;
  /** The sequence to begin with. */
  from?: number | undefined;
  limit: number;
  cursor: string | undefined;
}

const wholeNumber = /^[1-9]\d{0,14}$/;

/** The anchors that are or were in the fleet, and the corridors that are served. */
export interface KnownFleet {
  isKnownAnchor: (id: string) => Promise<boolean>;
  isServedCorridor: (id: string) => boolean;
}

export function createBatchLog(store: BatchStore, fleet: KnownFleet): BatchLog {
  async function find(sequence: number): Promise<BatchDocument> {
    const batch = await store.find(sequence);
    if (batch === null) throw new ApiError('UNKNOWN_BATCH', `There is no batch ${sequence}.`);
    return batch;
  }

  async function readEntries({ attempt }: BatchDocument, start: number, end: number): Promise<ScoreCard[]> {
    if (start >= end) return [];
    const firstChunk = Math.floor(start / entriesPerChunk);
    const lastChunk = Math.floor((end - 1) / entriesPerChunk);
    const chunks = await store.listChunks(attempt, firstChunk, lastChunk);
    const offset = firstChunk * entriesPerChunk;
    const texts = chunks.flatMap(({ entries }) => entries).slice(start - offset, end - offset);
    return texts.map(toCard);
  }

  return {
    async list({ order = 'desc', from, limit, cursor }) {
      const name = ['batches', order, String(from ?? 'end')];
      const [after] = readCursor(cursor, name, [wholeNumber]) ?? [];
      const place = after === undefined ? { from } : { after: Number(after) };
      const batches = await store.list({ order, ...place, limit: limit + 1 });
      const page = toPage(batches, limit, name, ({ _id }) => [_id]);
      return { ...page, items: page.items.map(toPublished) };
    },

    async get(sequence) {
      return toPublished(await find(sequence));
    },

    async entries(sequence, { limit, cursor }) {
      const batch = await find(sequence);
      const { size } = batch.header;
      const name = ['entries', String(sequence)];
      const start = Number(readCursor(cursor, name, [wholeNumber])?.[0] ?? 0);
      if (start > 0 && start >= size) throw unknownCursor();
      const end = Math.min(start + limit, size);
      const items = await readEntries(batch, start, end);
      return { sequence, start, items, nextCursor: end < size ? writeCursor(name, [end]) : null };
    },

    async entriesFrom(sequence, start, limit) {
      const batch = await store.find(sequence);
      if (batch === null) return null;
      const { header } = batch;
      return { header, items: await readEntries(batch, start, Math.min(start + limit, header.size)) };
    },

    async prove(sequence, { anchor, corridor }) {
      const batch = await find(sequence);
      const { attempt, header } = batch;
      const chunk = await store.findChunkByKey(attempt, entryKey(anchor, corridor));
      const cards = chunk?.entries.map(toCard) ?? [];
      const at = cards.findIndex((card) => card.anchorId === anchor && card.corridor === corridor);
      const entry = cards[at];
      const leafHash = chunk?.leafHashes[at];
      if (chunk === null || entry === undefined || leafHash === undefined) {
        if (!(await fleet.isKnownAnchor(anchor)))
          throw unsupportedPair('query.anchor', 'was never in the fleet');
        if (!fleet.isServedCorridor(corridor))
          throw unsupportedPair('query.corridor', 'is not a corridor that is served');
        throw new ApiError('UNKNOWN_BATCH', `Batch ${sequence} has no entry of ${anchor} in ${corridor}.`);
      }
      const chunkRoots = await store.listChunkRoots(attempt);
      return {
        entry,
        index: chunk.index * entriesPerChunk + at,
        size: header.size,
        leafHash,
        proof: entryProofOf({ chunk, at, chunkRoots }),
        batch: toPublished(batch),
      };
    },
  };
}

/** The answer has exactly the members that were hashed. */
function toCard(text: string): ScoreCard {
  return JSON.parse(text) as ScoreCard;
}

export function toPublished({
  header,
  headerHash,
  signature,
  publicKey,
  receipt,
  submittedAt,
}: BatchDocument): PublishedBatch {
  return {
    header,
    headerHash,
    signature,
    publicKey,
    submittedAt: submittedAt === null ? null : toInstant(submittedAt.getTime()),
    receipt,
  };
}
