import type { BatchEntries, EntryProof, PublishedBatch } from '../../../contract/schemas/publisher.js';
import type { PublicScores } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { type PageQuery, readCursor, readLimit, toPage, unknownCursor, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { entryKey } from './batch.rules.js';
import { leafHashOf, pathTo, treeOver } from './merkle-tree.rules.js';
import type { BatchDocument, BatchStore, TickStore } from './store.js';

/** Proofs are asked for of the latest batch. What they need of 10,000 entries takes 11 MB. */
const maxProven = 4;
const wholeNumber = /^[1-9]\d{0,14}$/;

const ofScores = ['scores'];
/** What the first page of the scores was taken from, a batch or the cards, and where the next one begins. */
const placeOfScores = [/^(cards|[1-9]\d{0,14})$/, wholeNumber];

/** The cards that are published, by anchor and corridor, and of when they are. */
export type PublishedCards = () => Promise<{
  cards: ScoreCard[];
  computedAt: Date | null;
  standsStillSince: Date | null;
}>;

export interface LogDeps {
  batches: BatchStore;
  ticks: TickStore;
  publishedCards: PublishedCards;
  /** Whether the cards are published as batches. */
  publishes: boolean;
  /** Whether this anchor is or was in the fleet. */
  isKnownAnchor: (id: string) => Promise<boolean>;
  isServedCorridor: (id: string) => boolean;
  clock: Clock;
}

export type BatchLog = ReturnType<typeof createBatchLog>;

/** Reads the published log. A sequence that no batch has throws UNKNOWN_BATCH. */
export function createBatchLog(deps: LogDeps) {
  const { batches: store, clock } = deps;

  async function find(sequence: number): Promise<BatchDocument> {
    const batch = await store.find(sequence);
    if (batch === null) throw new ApiError('UNKNOWN_BATCH', `There is no batch ${sequence}.`);
    return batch;
  }

  /** What proofs need of a batch, which never changes. To read and hash 10,000 entries takes some 100 ms. */
  const proven = createCache({
    async load({ _id }: BatchDocument) {
      const texts = await store.readEntries(_id);
      return { texts, tree: treeOver(texts.map(leafHashOf)) };
    },
    keyOf: ({ headerHash }) => headerHash,
    freshMs: Number.POSITIVE_INFINITY,
    max: maxProven,
    clock,
  });

  async function readCards({ _id }: BatchDocument, start: number, limit: number) {
    return (await store.readEntries(_id, start, limit)).map(toCard);
  }

  return {
    /** Newest first unless told otherwise, beginning with the sequence `from`. */
    async list(query: PageQuery & { order?: 'asc' | 'desc' | undefined; from?: string | undefined }) {
      const { order = 'desc', from } = query;
      const limit = readLimit(query.limit);
      const name = ['batches', order, from ?? 'end'];
      const [first = from] = readCursor(query.cursor, name, [wholeNumber]) ?? [];
      const batches = await store.list(order, first, limit + 1);
      const next = order === 'asc' ? 1 : -1;
      return toPage(batches.map(toPublished), limit, name, ({ header }) => [header.sequence + next]);
    },

    get: async (sequence: number) => toPublished(await find(sequence)),

    /** Throws INVALID_REQUEST for a cursor that was never issued. */
    async entries(sequence: number, query: PageQuery): Promise<BatchEntries> {
      const batch = await find(sequence);
      const { size } = batch.header;
      const name = ['entries', String(sequence)];
      const start = Number(readCursor(query.cursor, name, [wholeNumber])?.[0] ?? 0);
      if (start > 0 && start >= size) throw unknownCursor();
      const items = await readCards(batch, start, readLimit(query.limit));
      const end = start + items.length;
      return { sequence, start, items, nextCursor: end < size ? writeCursor(name, [end]) : null };
    },

    /** A page of the latest batch, or, where nothing is published, of the cards of window 30, by anchor and corridor. */
    async scores(query: PageQuery): Promise<PublicScores> {
      const [begun, place = '0'] = readCursor(query.cursor, ofScores, placeOfScores) ?? [];
      const source = begun ?? String((deps.publishes ? await store.latest() : null)?._id ?? 'cards');
      const [start, limit] = [Number(place), readLimit(query.limit)];
      const batch = source === 'cards' ? null : await store.find(Number(source));
      if (batch === null && source !== 'cards') throw unknownCursor();
      const { cards, computedAt, standsStillSince: still } = await deps.publishedCards();
      const heldSince = batch && (await deps.ticks.read()).heldSince;
      const since = heldSince !== null && (still === null || heldSince < still) ? heldSince : still;
      const end = start + limit;
      const size = batch === null ? cards.length : batch.header.size;
      return {
        version: '1',
        formula,
        window: 30,
        standsStillSince: since && toInstant(since),
        generatedAt: batch === null ? computedAt && toInstant(computedAt) : batch.header.createdAt,
        batch: batch && { sequence: batch._id, root: batch.header.root },
        items: batch === null ? cards.slice(start, end) : await readCards(batch, start, limit),
        nextCursor: end < size ? writeCursor(ofScores, [source, end]) : null,
      };
    },

    async prove(
      sequence: number,
      { anchor, corridor }: { anchor: string; corridor: string },
    ): Promise<EntryProof> {
      const batch = await find(sequence);
      const { texts, tree } = await proven.get(batch);
      const index = indexOf(texts, entryKey(anchor, corridor));
      const [text, leafHash] = [texts[index], tree[0]?.[index]];
      if (text === undefined || leafHash === undefined) {
        if (!(await deps.isKnownAnchor(anchor)))
          throw unsupportedPair('query.anchor', 'was never in the fleet');
        if (!deps.isServedCorridor(corridor))
          throw unsupportedPair('query.corridor', 'is not a corridor that is served');
        const what = `Batch ${sequence} has no entry of ${anchor} in ${corridor}.`;
        throw new ApiError('UNKNOWN_BATCH', what);
      }
      return {
        entry: toCard(text),
        index,
        size: batch.header.size,
        leafHash: toHex(leafHash),
        proof: pathTo(tree, index),
        batch: toPublished(batch),
      };
    },
  };
}

/** The index of the entry with this key among entries that are ordered by key; -1 if there is none. */
function indexOf(texts: readonly string[], key: string): number {
  // Behind the last entry there is no key that anybody asks for.
  const keyAt = (index: number) => {
    const { anchorId, corridor } = toCard(texts[index] ?? '{}');
    return entryKey(anchorId, corridor);
  };
  let [from, to] = [0, texts.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (keyAt(middle) < key) from = middle + 1;
    else to = middle;
  }
  return keyAt(from) === key ? from : -1;
}

/** The answer has exactly the members that were hashed. */
function toCard(text: string): ScoreCard {
  return JSON.parse(text) as ScoreCard;
}

export function toPublished(batch: BatchDocument): PublishedBatch {
  const { header, headerHash, signature, publicKey, receipt, submittedAt } = batch;
  return {
    header,
    headerHash,
    signature,
    publicKey,
    submittedAt: submittedAt && toInstant(submittedAt),
    receipt,
  };
}
