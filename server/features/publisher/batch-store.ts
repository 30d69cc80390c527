import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { BatchHeader } from '../../../contract/verification/verify-batch.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { bulkCollection, defineModel } from '../../mongo/models.js';
import type { Chunk } from './batch.rules.js';

/** A committed batch. Everything but the last four members is fixed from its insert on. */
export interface BatchDocument {
  /** The sequence. */
  _id: number;
  header: BatchHeader;
  headerHash: string;
  /** Ed25519, base64. */
  signature: string;
  /** The `G…` form of the key that `header.keyId` names. */
  publicKey: string;
  /** Names the chunks that hold its entries; chunks of any other attempt belong to no batch. */
  attempt: string;
  /** Whether it has no receipt yet. Receipts come in order, so the batches without one are the latest ones. */
  open: boolean;
  /** Whether its event is written, which happens with the receipt, or at once if there is no oracle. */
  announced: boolean;
  receipt: OracleReceipt | null;
  submittedAt: Date | null;
}

/** A run of entries: a whole subtree of the batch, so that a proof needs one chunk and the roots of the others. */
export interface ChunkDocument extends Chunk {
  /** `attempt:index`. */
  _id: string;
  attempt: string;
}

/** A key that signed a batch. Old public keys stay known even if they are no longer configured. */
interface KeyDocument {
  /** The key id. */
  _id: string;
  publicKey: string;
  firstSequence: number;
}

/** The published log: batches, their entries in chunks, and the keys that signed them. */
export interface BatchStore {
  find(sequence: number): Promise<BatchDocument | null>;
  latest(): Promise<BatchDocument | null>;
  /** The latest batch by this formula. */
  latestBy(formula: string): Promise<BatchDocument | null>;
  latestSubmitted(): Promise<BatchDocument | null>;
  oldestWithoutReceipt(): Promise<BatchDocument | null>;
  oldestUnannounced(): Promise<BatchDocument | null>;
  /** Lists batches by sequence; `from` is included, `after` is not. */
  list(query: {
    order: 'asc' | 'desc';
    from?: number | undefined;
    after?: number | undefined;
    limit: number;
  }): Promise<BatchDocument[]>;
  /** How many batches have no receipt. */
  countWithoutReceipt(): Promise<number>;
  /** Commits a batch and stores the key that signed it. Call it in the transaction that clears the attempt. */
  insert(session: ClientSession, batch: BatchDocument): Promise<void>;
  /** Removes a batch unless it has a receipt. */
  remove(session: ClientSession, sequence: number): Promise<void>;
  /** Returns false if the batch already has a receipt. */
  saveReceipt(
    session: ClientSession,
    sequence: number,
    receipt: OracleReceipt,
    submittedAt: Date,
  ): Promise<boolean>;
  /** Returns false if the batch was already announced. */
  markAnnounced(session: ClientSession, sequence: number): Promise<boolean>;
  /** The keys that signed batches, the newest first. */
  listKeys(limit: number): Promise<{ keyId: string; publicKey: string }[]>;
  insertChunks(session: ClientSession, attempt: string, chunks: readonly Chunk[]): Promise<void>;
  /** Chunks by index, from the first to the last, both included. */
  listChunks(attempt: string, first: number, last: number): Promise<Chunk[]>;
  /** The chunk that contains the entry with this key, if there is such an entry. */
  findChunkByKey(attempt: string, key: string): Promise<Chunk | null>;
  /** The roots of all chunks, in order. */
  listChunkRoots(attempt: string): Promise<string[]>;
  listChunkIds(attempt: string, limit: number): Promise<string[]>;
  deleteChunks(session: ClientSession, ids: readonly string[]): Promise<void>;
  /** The UUID of the collection of batches, in hex; a restored collection has another one. Null before it exists. */
  identity(): Promise<string | null>;
}

const headerSchema = new Schema<BatchHeader>(
  {
    version: { type: Number, required: true },
    sequence: { type: Number, required: true },
    previous: { type: String, default: null },
    root: { type: String, required: true },
    size: { type: Number, required: true },
    formula: { type: String, required: true },
    createdAt: { type: String, required: true },
    keyId: { type: String, required: true },
  },
  { _id: false },
);

const batchSchema = new Schema<BatchDocument>(
  {
    _id: { type: Number, required: true },
    header: { type: headerSchema, required: true },
    headerHash: { type: String, required: true },
    signature: { type: String, required: true },
    publicKey: { type: String, required: true },
    attempt: { type: String, required: true },
    open: { type: Boolean, required: true },
    announced: { type: Boolean, required: true },
    receipt: { type: Schema.Types.Mixed, default: null },
    submittedAt: { type: Date, default: null },
  },
  { collection: 'batches', versionKey: false },
);
// Permits one successor per batch and one first batch: a unique index treats `null` like any other value.
batchSchema.index({ 'header.previous': 1 }, { unique: true, name: 'one_successor' });
batchSchema.index({ headerHash: 1 }, { unique: true, name: 'one_header' });
batchSchema.index({ 'header.formula': 1, _id: -1 }, { name: 'by_formula' });
batchSchema.index({ open: 1, _id: 1 }, { name: 'by_receipt' });
batchSchema.index(
  { announced: 1, _id: 1 },
  { name: 'unannounced', partialFilterExpression: { announced: false } },
);

/** Name of the index that covers the roots. */
export const chunkOrder = 'in_order';

const chunkSchema = new Schema<ChunkDocument>(
  {
    _id: { type: String, required: true },
    attempt: { type: String, required: true },
    index: { type: Number, required: true },
    lastKey: { type: String, required: true },
    entries: { type: [String], required: true },
    leafHashes: { type: [String], required: true },
    root: { type: String, required: true },
  },
  { collection: 'batch_chunks', versionKey: false },
);
// The index contains the root, so that all roots of a batch, most of the cost of a proof, are read without the entries.
chunkSchema.index({ attempt: 1, index: 1, root: 1 }, { name: chunkOrder });
chunkSchema.index({ attempt: 1, lastKey: 1 }, { unique: true, name: 'by_key' });

const keySchema = new Schema<KeyDocument>(
  {
    _id: { type: String, required: true },
    publicKey: { type: String, required: true },
    firstSequence: { type: Number, required: true },
  },
  { collection: 'publisher_keys', versionKey: false },
);

export function createBatchStore(connection: Connection): BatchStore {
  const batches = defineModel(connection, 'Batch', batchSchema);
  const chunks = defineModel(connection, 'BatchChunk', chunkSchema);
  const keys = defineModel(connection, 'PublisherKey', keySchema);
  const bulkChunks = bulkCollection<ChunkDocument>(connection, chunks.collection.name);
  const first = (filter: object, order: 1 | -1) =>
    batches.findOne(filter).sort({ _id: order }).lean<BatchDocument>();

  const store: BatchStore = {
    find: (sequence) => first({ _id: sequence }, 1),
    latest: () => first({}, -1),
    latestBy: (formula) => first({ 'header.formula': formula }, -1),
    latestSubmitted: () => first({ open: false }, -1),
    oldestWithoutReceipt: () => first({ open: true }, 1),
    oldestUnannounced: () => first({ announced: false }, 1),

    list({ order, from, after, limit }) {
      const [past, to] = order === 'asc' ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
      const place = after === undefined ? from && { [to]: from } : { [past]: after };
      return batches
        .find(place ? { _id: place } : {})
        .sort({ _id: order === 'asc' ? 1 : -1 })
        .limit(limit)
        .lean<BatchDocument[]>();
    },

    async countWithoutReceipt() {
      // Receipts come in order, so the two ends give the number. The older end is read first, so it is never too low.
      const submitted = await store.latestSubmitted();
      return ((await store.latest())?._id ?? 0) - (submitted?._id ?? 0);
    },

    async insert(session, batch) {
      const { _id, header, publicKey } = batch;
      await batches.create([batch], { session });
      await keys.updateOne(
        { _id: header.keyId },
        { $setOnInsert: { publicKey, firstSequence: _id } },
        { session, upsert: true },
      );
    },

    async remove(session, sequence) {
      await batches.deleteOne({ _id: sequence, open: true }, { session });
    },

    async saveReceipt(session, sequence, receipt, submittedAt) {
      const change = { $set: { open: false, announced: true, receipt, submittedAt } };
      const { modifiedCount } = await batches.updateOne({ _id: sequence, open: true }, change, { session });
      return modifiedCount === 1;
    },

    async markAnnounced(session, sequence) {
      const change = { $set: { announced: true } };
      const { modifiedCount } = await batches.updateOne({ _id: sequence, announced: false }, change, {
        session,
      });
      return modifiedCount === 1;
    },

    async listKeys(limit) {
      const found = await keys.find().sort({ firstSequence: -1 }).limit(limit).lean<KeyDocument[]>();
      return found.map(({ _id, publicKey }) => ({ keyId: _id, publicKey }));
    },

    async insertChunks(session, attempt, made) {
      const documents = made.map((chunk) => ({ _id: `${attempt}:${chunk.index}`, attempt, ...chunk }));
      await bulkChunks.insertMany(documents, { session });
    },

    listChunks: (attempt, from, to) =>
      chunks
        .find({ attempt, index: { $gte: from, $lte: to } })
        .sort({ index: 1 })
        .lean<ChunkDocument[]>(),

    findChunkByKey: (attempt, key) =>
      chunks
        .findOne({ attempt, lastKey: { $gte: key } })
        .sort({ lastKey: 1 })
        .lean<ChunkDocument>(),

    async listChunkRoots(attempt) {
      const found = await chunks
        .find({ attempt }, { _id: 0, index: 1, root: 1 })
        .sort({ index: 1 })
        .hint(chunkOrder)
        .lean<Pick<ChunkDocument, 'root'>[]>();
      return found.map(({ root }) => root);
    },

    async listChunkIds(attempt, limit) {
      const found = await chunks.find({ attempt }, { _id: 1 }).limit(limit).lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },

    async deleteChunks(session, ids) {
      await chunks.deleteMany({ _id: { $in: [...ids] } }, { session });
    },

    async identity() {
      const name = batches.collection.name;
      const [found] = (await connection.db?.listCollections({ name }).toArray()) ?? [];
      const uuid = found !== undefined && 'info' in found ? found.info?.uuid : undefined;
      return uuid?.toString('hex') ?? null;
    },
  };
  return store;
}
