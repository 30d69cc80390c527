import { type ClientSession, type Connection, mongo } from 'mongoose';
import {
  type BatchHeader,
  type BatchKey,
  batchHeaderHash,
} from '../../../contract/verification/verify-batch.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { bulkCollection, defineModel, typedSchema } from '../../mongo/models.js';
import type { Entry } from './batch.rules.js';
import { firstState, type TickState } from './health.rules.js';

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

/** The entries of a batch, in order, in their RFC 8785 form. */
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

const batchSchema = typedSchema<BatchDocument>('batches');
// Permits one successor per batch and one first batch: a unique index treats `null` like any other value.
batchSchema.index({ 'header.previous': 1 }, { unique: true, name: 'one_successor' });
batchSchema.index({ open: 1, _id: 1 }, { name: 'by_receipt' });
batchSchema.index({ 'header.keyId': 1, _id: 1 }, { name: 'by_key' });

const entriesSchema = typedSchema<EntriesDocument>('batch_entries');

const leavesSchema = typedSchema<LeavesDocument>('batch_leaves');

const stateSchema = typedSchema<TickState & { _id: string }>('publisher_state');
const stateId = 'publisher';

const hashBytes = 32;

export type BatchStore = ReturnType<typeof createBatchStore>;

/** The published log: batches, their entries and their leaf hashes. */
export function createBatchStore(connection: Connection) {
  const batches = defineModel(connection, 'Batch', batchSchema);
  const entriesOf = defineModel(connection, 'BatchEntries', entriesSchema);
  const leavesOf = defineModel(connection, 'BatchLeaves', leavesSchema);
  const bulkEntries = bulkCollection<EntriesDocument>(connection, entriesOf.collection.name);
  const bulkLeaves = bulkCollection<LeavesDocument>(connection, leavesOf.collection.name);
  const first = (filter: object, order: 1 | -1) =>
    batches.findOne(filter).sort({ _id: order }).lean<BatchDocument>().exec();

  return {
    find: (sequence: number) => first({ _id: sequence }, 1),
    latest: () => first({}, -1),
    latestSubmitted: () => first({ open: false }, -1),
    oldestWithoutReceipt: () => first({ open: true }, 1),

    /** Batches by sequence; `from` is included, `after`, which goes before it, is not. */
    list(
      order: 'asc' | 'desc',
      from: string | undefined,
      after: string | undefined,
      limit: number,
    ): Promise<BatchDocument[]> {
      const [past, to] = order === 'asc' ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
      const place = after === undefined ? from && { [to]: Number(from) } : { [past]: Number(after) };
      return batches
        .find(place ? { _id: place } : {})
        .sort({ _id: order === 'asc' ? 1 : -1 })
        .limit(limit)
        .lean<BatchDocument[]>()
        .exec();
    },

    /** How many batches have no receipt. */
    async countWithoutReceipt(): Promise<number> {
      // Receipts come in order, so the two ends give the number. The older end is read first, so it is never too low.
      const submitted = await first({ open: false }, -1);
      return ((await first({}, -1))?._id ?? 0) - (submitted?._id ?? 0);
    },

    /** Adds a batch with its entries and their leaf hashes. */
    async insert(
      session: ClientSession,
      signed: Pick<BatchDocument, 'header' | 'signature' | 'publicKey'>,
      entries: readonly Entry[],
    ): Promise<BatchDocument> {
      const { sequence: _id } = signed.header;
      const headerHash = batchHeaderHash(signed.header);
      const batch = { _id, ...signed, headerHash, open: true, receipt: null, submittedAt: null };
      const texts = entries.map(({ text }) => text);
      const keys = entries.map(({ key }) => key);
      const hashes = new mongo.Binary(Buffer.concat(entries.map(({ leafHash }) => leafHash)));
      await bulkEntries.insertOne({ _id, entries: texts }, { session });
      await bulkLeaves.insertOne({ _id, keys, hashes }, { session });
      await batches.create([batch], { session });
      return batch;
    },

    /** Returns false if the batch already has a receipt. */
    async saveReceipt(
      session: ClientSession,
      _id: number,
      receipt: OracleReceipt,
      submittedAt: Date,
    ): Promise<boolean> {
      const change = { $set: { open: false, receipt, submittedAt } };
      const { modifiedCount } = await batches.updateOne({ _id, open: true }, change, { session });
      return modifiedCount === 1;
    },

    /** The keys that signed batches, the newest first. They stay known if they are no longer configured. */
    async listKeys(limit: number): Promise<BatchKey[]> {
      // The sort and `$first` make MongoDB read one index key per key, however many batches it signed.
      return batches
        .aggregate<BatchKey>([
          { $sort: { 'header.keyId': 1, _id: 1 } },
          {
            $group: { _id: '$header.keyId', first: { $first: '$_id' }, publicKey: { $first: '$publicKey' } },
          },
          { $sort: { first: -1 } },
          { $limit: limit },
          { $project: { _id: 0, keyId: '$_id', publicKey: 1 } },
        ])
        .hint('by_key');
    },

    /** Some entries of a committed batch. */
    async readEntries(_id: number, start: number, limit: number): Promise<string[]> {
      if (limit < 1) return [];
      const found = await entriesOf
        .findOne({ _id }, { entries: { $slice: [start, limit] } })
        .lean<EntriesDocument>();
      if (found === null) throw new Error(`batch ${_id} has lost its entries`);
      return found.entries;
    },

    /** The keys and leaf hashes of a committed batch, in the order of its entries. */
    async readLeaves(_id: number): Promise<{ keys: string[]; hashes: Uint8Array[] }> {
      const found = await leavesOf.findOne({ _id }).lean<LeavesDocument>();
      if (found === null) throw new Error(`batch ${_id} has lost its leaf hashes`);
      const all = found.hashes.buffer;
      const hashes = found.keys.map((_key, at) => all.subarray(at * hashBytes, (at + 1) * hashBytes));
      return { keys: found.keys, hashes };
    },
  };
}

export type TickStore = ReturnType<typeof createTickStore>;

/** The state that ticks record for the next tick and for health, in one document. */
export function createTickStore(connection: Connection) {
  const model = defineModel(connection, 'PublisherState', stateSchema);
  return {
    async read(session: ClientSession | null = null): Promise<TickState> {
      const found = await model.findById(stateId, { _id: 0 }).session(session).lean<TickState>();
      return found ?? firstState;
    },

    async save(session: ClientSession, state: TickState): Promise<void> {
      await model.updateOne({ _id: stateId }, { $set: state }, { session, upsert: true });
    },
  };
}
