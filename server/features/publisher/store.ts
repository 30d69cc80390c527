import type { ClientSession, Connection, mongo } from 'mongoose';
import {
  type BatchHeader,
  type BatchKey,
  batchHeaderHash,
} from '../../../contract/verification/verify-batch.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { collectionOf, typedSchema } from '../../mongo/models.js';
import { type Entry, maxEntries } from './batch.rules.js';
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

const batchSchema = typedSchema<BatchDocument>('batches');
// Permits one successor per batch and one first batch: a unique index treats `null` like any other value.
batchSchema.index({ 'header.previous': 1 }, { unique: true, name: 'one_successor' });
batchSchema.index({ open: 1, _id: 1 }, { name: 'by_receipt' });
batchSchema.index({ 'header.keyId': 1, _id: 1 }, { name: 'by_key' });

const entriesSchema = typedSchema<EntriesDocument>('batch_entries');

const stateSchema = typedSchema<TickState & { _id: string }>('publisher_state');
const stateId = 'publisher';
const noState = { _id: stateId, ...firstState };

export type BatchStore = ReturnType<typeof createBatchStore>;

/** The published log: batches and their entries. */
export function createBatchStore(connection: Connection) {
  const batches = collectionOf(connection, 'Batch', batchSchema);
  const entriesOf = collectionOf(connection, 'BatchEntries', entriesSchema);
  const first = (filter: mongo.Filter<BatchDocument>, order: 1 | -1) =>
    batches.findOne(filter, { sort: { _id: order } });

  return {
    find: (sequence: number) => first({ _id: sequence }, 1),
    latest: () => first({}, -1),
    latestSubmitted: () => first({ open: false }, -1),
    oldestWithoutReceipt: () => first({ open: true }, 1),

    /** Batches by sequence, from this one on. */
    list(order: 'asc' | 'desc', from: string | undefined, limit: number) {
      const to = order === 'asc' ? '$gte' : '$lte';
      return batches
        .find(from === undefined ? {} : { _id: { [to]: Number(from) } })
        .sort({ _id: order })
        .limit(limit)
        .toArray();
    },

    /** How many batches have no receipt. */
    async countWithoutReceipt(): Promise<number> {
      // Receipts come in order, so the two ends give the number. The older end is read first, so it is never too low.
      const submitted = await first({ open: false }, -1);
      return ((await first({}, -1))?._id ?? 0) - (submitted?._id ?? 0);
    },

    /** Adds a batch with its entries. */
    async insert(
      session: ClientSession,
      signed: Pick<BatchDocument, 'header' | 'signature' | 'publicKey'>,
      entries: readonly Entry[],
    ): Promise<BatchDocument> {
      const { sequence: _id } = signed.header;
      const headerHash = batchHeaderHash(signed.header);
      const batch = { _id, ...signed, headerHash, open: true, receipt: null, submittedAt: null };
      const texts = entries.map(({ text }) => text);
      await entriesOf.insertOne({ _id, entries: texts }, { session });
      await batches.insertOne(batch, { session });
      return batch;
    },

    /** Returns false if the batch already has a receipt. */
    async saveReceipt(session: ClientSession, _id: number, receipt: OracleReceipt, submittedAt: Date) {
      const change = { $set: { open: false, receipt, submittedAt } };
      return (await batches.updateOne({ _id, open: true }, change, { session })).modifiedCount === 1;
    },

    /** The keys that signed batches, the newest first. They stay known if they are no longer configured. */
    listKeys(limit: number): Promise<BatchKey[]> {
      // The sort and `$first` make MongoDB read one index key per key, however many batches it signed.
      const stages = [
        { $sort: { 'header.keyId': 1, _id: 1 } },
        { $group: { _id: '$header.keyId', first: { $first: '$_id' }, publicKey: { $first: '$publicKey' } } },
        { $sort: { first: -1 } },
        { $limit: limit },
        { $project: { _id: 0, keyId: '$_id', publicKey: 1 } },
      ];
      return batches.aggregate<BatchKey>(stages, { hint: 'by_key' }).toArray();
    },

    /** The entries of a committed batch, or some of them. */
    async readEntries(_id: number, start = 0, limit = maxEntries): Promise<string[]> {
      const found = await entriesOf.findOne({ _id }, { projection: { entries: { $slice: [start, limit] } } });
      if (found === null) throw new Error(`batch ${_id} has lost its entries`);
      return found.entries;
    },
  };
}

export type TickStore = ReturnType<typeof createTickStore>;

/** The state that ticks record for the next tick and for health, in one document. */
export function createTickStore(connection: Connection) {
  const states = collectionOf(connection, 'PublisherState', stateSchema);
  return {
    async read(session?: ClientSession): Promise<TickState> {
      const { _id, ...state } = (await states.findOne({ _id: stateId }, session && { session })) ?? noState;
      return state;
    },

    save: async (session: ClientSession, state: TickState): Promise<void> =>
      void (await states.updateOne({ _id: stateId }, { $set: state }, { session, upsert: true })),
  };
}
