import { type ClientSession, type Connection, mongo, Schema } from 'mongoose';
import type { BatchHeader } from '../../../contract/verification/verify-batch.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { bulkCollection, defineModel } from '../../mongo/models.js';
import type { Entry } from './batch.rules.js';

/** A committed batch. Everything but the last three members is fixed from its insert on. */
export interface BatchDocument {
  /** The sequence. */
  _id: number;
  header: BatchHeader;
  headerHash: string;
  /** Ed25519, base64. */
  signature: string;
  /** The `G…` form of the key that `header.keyId` names. */
  publicKey: string;
  /** Whether it has no receipt yet. Receipts come in order, so the batches without one are the latest ones. */
  open: boolean;
  receipt: OracleReceipt | null;
  submittedAt: Date | null;
}

/** The entries of a batch, in order, in their RFC 8785 form. Nobody sees them before the header of that sequence. */
interface EntriesDocument {
  /** The sequence. */
  _id: number;
  entries: string[];
}

/** What a proof needs of all entries. */
interface LeavesDocument {
  /** The sequence. */
  _id: number;
  /** The keys of the entries, in order. */
  keys: string[];
  /** The leaf hashes of the entries, in order, 32 bytes each. */
  hashes: mongo.Binary;
}

/** A key that signed a batch. Old public keys stay known even if they are no longer configured. */
interface KeyDocument {
  /** The key id. */
  _id: string;
  publicKey: string;
  firstSequence: number;
}

/** The published log: batches, their entries and leaf hashes, and the keys that signed them. */
export interface BatchStore {
  find(sequence: number): Promise<BatchDocument | null>;
  latest(): Promise<BatchDocument | null>;
  latestSubmitted(): Promise<BatchDocument | null>;
  oldestWithoutReceipt(): Promise<BatchDocument | null>;
  /** Lists batches by sequence; `from` is included, `after` is not. */
  list(query: {
    order: 'asc' | 'desc';
    from?: number | undefined;
    after?: number | undefined;
    limit: number;
  }): Promise<BatchDocument[]>;
  /** How many batches have no receipt. */
  countWithoutReceipt(): Promise<number>;
  /** Stores the entries of the batch that is to have this sequence, in place of those that a tick which died has left. */
  putEntries(session: ClientSession, sequence: number, entries: readonly Entry[]): Promise<void>;
  /** Commits a batch, whose entries are stored, with the key that signed it. */
  insert(session: ClientSession, batch: BatchDocument): Promise<void>;
  /** Returns false if the batch already has a receipt. */
  saveReceipt(
    session: ClientSession,
    sequence: number,
    receipt: OracleReceipt,
    submittedAt: Date,
  ): Promise<boolean>;
  /** The keys that signed batches, the newest first. */
  listKeys(limit: number): Promise<{ keyId: string; publicKey: string }[]>;
  /** Some entries of a committed batch. */
  readEntries(sequence: number, start: number, limit: number): Promise<string[]>;
  /** The keys and leaf hashes of a committed batch, in the order of its entries. */
  readLeaves(sequence: number): Promise<{ keys: string[]; hashes: Uint8Array[] }>;
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
    open: { type: Boolean, required: true },
    receipt: { type: Schema.Types.Mixed, default: null },
    submittedAt: { type: Date, default: null },
  },
  { collection: 'batches', versionKey: false },
);
// Permits one successor per batch and one first batch: a unique index treats `null` like any other value.
batchSchema.index({ 'header.previous': 1 }, { unique: true, name: 'one_successor' });
batchSchema.index({ open: 1, _id: 1 }, { name: 'by_receipt' });

const entriesSchema = new Schema<EntriesDocument>(
  { _id: { type: Number, required: true }, entries: { type: [String], required: true } },
  { collection: 'batch_entries', versionKey: false },
);

const leavesSchema = new Schema<LeavesDocument>(
  {
    _id: { type: Number, required: true },
    keys: { type: [String], required: true },
    hashes: { type: Buffer, required: true },
  },
  { collection: 'batch_leaves', versionKey: false },
);

const keySchema = new Schema<KeyDocument>(
  {
    _id: { type: String, required: true },
    publicKey: { type: String, required: true },
    firstSequence: { type: Number, required: true },
  },
  { collection: 'publisher_keys', versionKey: false },
);

const hashBytes = 32;

export function createBatchStore(connection: Connection): BatchStore {
  const batches = defineModel(connection, 'Batch', batchSchema);
  const entriesOf = defineModel(connection, 'BatchEntries', entriesSchema);
  const leavesOf = defineModel(connection, 'BatchLeaves', leavesSchema);
  const keys = defineModel(connection, 'PublisherKey', keySchema);
  const bulkEntries = bulkCollection<EntriesDocument>(connection, entriesOf.collection.name);
  const bulkLeaves = bulkCollection<LeavesDocument>(connection, leavesOf.collection.name);
  const first = (filter: object, order: 1 | -1) =>
    batches.findOne(filter).sort({ _id: order }).lean<BatchDocument>();

  const store: BatchStore = {
    find: (sequence) => first({ _id: sequence }, 1),
    latest: () => first({}, -1),
    latestSubmitted: () => first({ open: false }, -1),
    oldestWithoutReceipt: () => first({ open: true }, 1),

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

    async putEntries(session, sequence, entries) {
      const of = { _id: sequence };
      const texts = { entries: entries.map(({ text }) => text) };
      const leaves = {
        keys: entries.map(({ key }) => key),
        hashes: new mongo.Binary(Buffer.concat(entries.map(({ leafHash }) => leafHash))),
      };
      await bulkEntries.replaceOne(of, texts, { session, upsert: true });
      await bulkLeaves.replaceOne(of, leaves, { session, upsert: true });
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

    async saveReceipt(session, sequence, receipt, submittedAt) {
      const change = { $set: { open: false, receipt, submittedAt } };
      const { modifiedCount } = await batches.updateOne({ _id: sequence, open: true }, change, { session });
      return modifiedCount === 1;
    },

    async listKeys(limit) {
      const found = await keys.find().sort({ firstSequence: -1 }).limit(limit).lean<KeyDocument[]>();
      return found.map(({ _id, publicKey }) => ({ keyId: _id, publicKey }));
    },

    async readEntries(sequence, start, limit) {
      if (limit < 1) return [];
      const found = await entriesOf
        .findOne({ _id: sequence }, { entries: { $slice: [start, limit] } })
        .lean<EntriesDocument>();
      if (found === null) throw new Error(`batch ${sequence} has lost its entries`);
      return found.entries;
    },

    async readLeaves(sequence) {
      const found = await leavesOf.findOne({ _id: sequence }).lean<LeavesDocument>();
      if (found === null) throw new Error(`batch ${sequence} has lost its leaf hashes`);
      const all = found.hashes.buffer;
      const hashes = found.keys.map((_key, at) => all.subarray(at * hashBytes, (at + 1) * hashBytes));
      return { keys: found.keys, hashes };
    },
  };
  return store;
}
