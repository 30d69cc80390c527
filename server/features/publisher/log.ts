import type {
  BatchEntries,
  BatchPage,
  EntryProof,
  PublishedBatch,
} from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { ApiError } from '../../errors.js';
import { readCursor, toPage, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';
import { entriesPerChunk, entryKey, entryProofOf } from './batch.rules.js';
import { type BatchRow, type ChunkRow, chunkOrder, type PublisherStore } from './store.js';

/** The published log, read. Only what a majority holds is shown, so nothing shown is ever taken back. */
export interface BatchLog {
  latest(): Promise<BatchRow | null>;
  /** The oldest batch without a receipt, or, without an oracle, without its event. */
  oldestUnsettled(): Promise<BatchRow | null>;
  latestSubmitted(): Promise<BatchRow | null>;
  /** Batches without a receipt; 0 without an oracle. */
  pending(): Promise<number>;
  list(query: ListQuery): Promise<BatchPage>;
  /** Throws UNKNOWN_BATCH. */
  get(sequence: number): Promise<PublishedBatch>;
  /** Throws UNKNOWN_BATCH, and INVALID_REQUEST for a cursor that was never given. */
  entries(sequence: number, query: { limit: number; cursor: string | undefined }): Promise<BatchEntries>;
  /** Throws UNKNOWN_BATCH. Reads one chunk and the roots of the others, however many entries there are. */
  prove(sequence: number, entry: { anchor: string; corridor: string }): Promise<EntryProof>;
}

export interface ListQuery {
  /** `desc` when absent. */
  order?: 'asc' | 'desc' | undefined;
  /** The sequence to begin with. */
  from?: number | undefined;
  limit: number;
  cursor: string | undefined;
}

const wholeNumber = /^[1-9]\d{0,14}$/;

export function createBatchLog(deps: { store: PublisherStore; hasOracle: boolean }): BatchLog {
  const { store, hasOracle } = deps;
  const first = (filter: object, order: 1 | -1) =>
    store.batches.findOne(filter).sort({ _id: order }).readConcern('majority').lean<BatchRow>();

  const latest = () => first({}, -1);
  const latestSubmitted = () => first({ open: false }, -1);

  async function find(sequence: number): Promise<BatchRow> {
    const row = await first({ _id: sequence }, 1);
    if (row === null) throw new ApiError('UNKNOWN_BATCH', `There is no batch ${sequence}.`);
    return row;
  }

  async function chunksOf(attempt: string, from: number, to: number): Promise<ChunkRow[]> {
    return store.chunks
      .find({ attempt, index: { $gte: from, $lte: to } })
      .sort({ index: 1 })
      .lean<ChunkRow[]>();
  }

  return {
    latest,
    latestSubmitted,
    oldestUnsettled: () => first(hasOracle ? { open: true } : { announced: false }, 1),

    async pending() {
      if (!hasOracle) return 0;
      // Receipts come in order, so the two ends give the number; the older end first, never to count too few.
      const submitted = await latestSubmitted();
      return ((await latest())?._id ?? 0) - (submitted?._id ?? 0);
    },

    async list({ order = 'desc', from, limit, cursor }) {
      const name = ['batches', order, String(from ?? 'end')];
      const [after] = readCursor(cursor, name, [wholeNumber]) ?? [];
      const [past, to] = order === 'asc' ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
      const place = after === undefined ? from && { [to]: from } : { [past]: Number(after) };
      const rows = await store.batches
        .find(place ? { _id: place } : {})
        .sort({ _id: order === 'asc' ? 1 : -1 })
        .limit(limit + 1)
        .readConcern('majority')
        .lean<BatchRow[]>();
      const page = toPage(rows, limit, name, ({ _id }) => [_id]);
      return { ...page, items: page.items.map(toPublished) };
    },

    async get(sequence) {
      return toPublished(await find(sequence));
    },

    async entries(sequence, { limit, cursor }) {
      const { header, attempt } = await find(sequence);
      const name = ['entries', String(sequence)];
      const start = Number(readCursor(cursor, name, [wholeNumber])?.[0] ?? 0);
      if (start > 0 && start >= header.size) throw unknownCursor();
      const end = Math.min(start + limit, header.size);
      const firstChunk = Math.floor(start / entriesPerChunk);
      const chunks = await chunksOf(attempt, firstChunk, Math.floor((end - 1) / entriesPerChunk));
      const offset = firstChunk * entriesPerChunk;
      const texts = chunks.flatMap(({ entries }) => entries).slice(start - offset, end - offset);
      return {
        sequence,
        start,
        items: texts.map(toCard),
        nextCursor: end < header.size ? writeCursor(name, [end]) : null,
      };
    },

    async prove(sequence, { anchor, corridor }) {
      const row = await find(sequence);
      const { attempt, header } = row;
      const chunk = await store.chunks
        .findOne({ attempt, lastKey: { $gte: entryKey(anchor, corridor) } })
        .sort({ lastKey: 1 })
        .lean<ChunkRow>();
      const cards = chunk?.entries.map(toCard) ?? [];
      const at = cards.findIndex((card) => card.anchorId === anchor && card.corridor === corridor);
      const entry = cards[at];
      const leafHash = chunk?.leafHashes[at];
      if (chunk === null || entry === undefined || leafHash === undefined) {
        throw new ApiError('UNKNOWN_BATCH', `Batch ${sequence} has no entry of ${anchor} in ${corridor}.`);
      }
      const roots = await store.chunks
        .find({ attempt }, { _id: 0, index: 1, root: 1 })
        .sort({ index: 1 })
        .hint(chunkOrder)
        .lean<Pick<ChunkRow, 'index' | 'root'>[]>();
      return {
        entry,
        index: chunk.index * entriesPerChunk + at,
        size: header.size,
        leafHash,
        proof: entryProofOf({ chunk, at, chunkRoots: roots.map(({ root }) => root) }),
        batch: toPublished(row),
      };
    },
  };
}

/** What was hashed is what is answered, member for member. */
function toCard(text: string): ScoreCard {
  return JSON.parse(text) as ScoreCard;
}

function toPublished({
  header,
  headerHash,
  signature,
  publicKey,
  receipt,
  submittedAt,
}: BatchRow): PublishedBatch {
  return {
    header,
    headerHash,
    signature,
    publicKey,
    submittedAt: submittedAt === null ? null : toInstant(submittedAt.getTime()),
    receipt,
  };
}
