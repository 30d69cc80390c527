import { type Connection, Schema } from 'mongoose';
import type { TickFailure, TickResult } from '../../../contract/schemas/publisher.js';
import type { BatchHeader } from '../../../contract/verification/verify-batch.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { bulkCollection, defineModel } from '../../mongo/models.js';

/** A committed batch. Everything but the last four members is fixed from its insert on. */
export interface BatchRow {
  /** The sequence. */
  _id: number;
  header: BatchHeader;
  headerHash: string;
  /** Ed25519, base64. */
  signature: string;
  /** `G…`, of `header.keyId`. */
  publicKey: string;
  /** Names the chunks that hold its entries; those of any other attempt are nobody's. */
  attempt: string;
  /** No receipt yet. Receipts come in order, so the batches without one are the latest ones. */
  open: boolean;
  /** Its event is written: with the receipt, or at once where there is no oracle. */
  announced: boolean;
  receipt: OracleReceipt | null;
  submittedAt: Date | null;
}

/** A run of entries: a whole subtree of the batch, so that a proof needs one chunk and the roots of the others. */
export interface ChunkRow {
  /** `attempt:index`. */
  _id: string;
  attempt: string;
  /** From 0; entry i of the batch is in chunk ⌊i / entriesPerChunk⌋. */
  index: number;
  /** `anchorId corridor` of its last entry. */
  lastKey: string;
  /** The RFC 8785 form of each entry: the very text that is hashed. */
  entries: string[];
  /** Hex, one an entry. */
  leafHashes: string[];
  /** RFC 6962 root over its leaves, hex. */
  root: string;
}

export interface TickNote {
  startedAt: Date;
  /** Null for a tick that died. */
  finishedAt: Date | null;
  result: TickResult | null;
  failure: TickFailure | null;
}

/** What ticks tell each other and health; one document. */
export interface StateRow {
  _id: 'publisher';
  /** The tick under way, or one that died; `token` is its lease's. */
  running: { token: number; startedAt: Date } | null;
  lastTick: TickNote | null;
  consecutiveFailures: number;
  /** Entries may be stored under this attempt, and no batch names it yet. */
  attempt: string | null;
}

/** A key that signed a batch: old public keys stay known though nobody configures them any more. */
export interface KeyRow {
  /** The key id. */
  _id: string;
  publicKey: string;
  firstSequence: number;
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

const batchSchema = new Schema<BatchRow>(
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
// One successor a batch, and one first batch: `null` is a value like any other to a unique index.
batchSchema.index({ 'header.previous': 1 }, { unique: true, name: 'one_successor' });
batchSchema.index({ headerHash: 1 }, { unique: true, name: 'one_header' });
batchSchema.index({ open: 1, _id: 1 }, { name: 'by_receipt' });
batchSchema.index(
  { announced: 1, _id: 1 },
  { name: 'unannounced', partialFilterExpression: { announced: false } },
);

/** Name of the index that covers the roots. */
export const chunkOrder = 'in_order';

const chunkSchema = new Schema<ChunkRow>(
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
// With the root in it, every root of a batch is read without its entries: that is most of a proof.
chunkSchema.index({ attempt: 1, index: 1, root: 1 }, { name: chunkOrder });
chunkSchema.index({ attempt: 1, lastKey: 1 }, { unique: true, name: 'by_key' });

const stateSchema = new Schema<StateRow>(
  {
    _id: { type: String, required: true },
    running: { type: Schema.Types.Mixed, default: null },
    lastTick: { type: Schema.Types.Mixed, default: null },
    consecutiveFailures: { type: Number, required: true },
    attempt: { type: String, default: null },
  },
  { collection: 'publisher_state', versionKey: false, minimize: false },
);

const keySchema = new Schema<KeyRow>(
  {
    _id: { type: String, required: true },
    publicKey: { type: String, required: true },
    firstSequence: { type: Number, required: true },
  },
  { collection: 'publisher_keys', versionKey: false },
);

export type PublisherStore = ReturnType<typeof publisherStore>;

export function publisherStore(connection: Connection) {
  return {
    batches: defineModel(connection, 'Batch', batchSchema),
    chunks: defineModel(connection, 'BatchChunk', chunkSchema),
    /** For inserts inside transactions only. */
    chunkBulk: bulkCollection<ChunkRow>(connection, 'batch_chunks'),
    state: defineModel(connection, 'PublisherState', stateSchema),
    keys: defineModel(connection, 'PublisherKey', keySchema),
    /** The wall clock of the database: the one clock that every instance shares. */
    async now(): Promise<Date> {
      const answer = await connection.db?.command({ hello: 1 });
      if (!(answer?.localTime instanceof Date)) throw new Error('the database did not tell its time');
      return answer.localTime;
    },
  };
}
