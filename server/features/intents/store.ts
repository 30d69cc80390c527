import { type ClientSession, type Connection, Schema } from 'mongoose';
import { isDuplicateKey, writeErrorsOf } from '../../mongo/failures.js';
import { defineModel } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/refused-writes.js';
import { inBatches } from './in-batches.js';
import type { DisputeEffect, Intent } from './intent.js';
import { givenUpAfterPolls } from './polls/poll-state.rules.js';
import { stepsOf } from './transition/steps.rules.js';

/** An intent as it was read and as it is to be: written only if its version is still the same. */
export interface IntentChange {
  before: Intent;
  after: Intent;
  /** When its transaction passed to another intent, if this change hands it over. */
  releasedAt?: Date;
}

/** The queries of the intents collection, except those of the other stores in this folder. */
export interface IntentStore {
  /** The intents with these hashes that exist. */
  findByHashes(intentHashes: readonly string[]): Promise<Intent[]>;
  /** With a session, reads as that transaction sees it. Without one, concurrent calls are batched into one query. */
  findByHash(intentHash: string, session?: ClientSession): Promise<Intent | null>;
  /** The intent that has just refused a write; a find could return what it was before. */
  findCurrent(intentHash: string): Promise<Intent | null>;
  /**
   * False where the hash is stored already, or another intent of the anchor has the transaction. Calls that arrive during
   * an insert are batched into the next one, each with a result of its own.
   */
  insert(intent: Intent): Promise<boolean>;
  /** Inserts intents as they are, and marks no days. For simulated histories. */
  insertAll(intents: readonly Intent[]): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** The intent that holds this transaction of the anchor. */
  findByTransaction(anchorId: string, transactionId: string, session?: ClientSession): Promise<Intent | null>;
  /** Like `findByTransaction`, after that intent has just refused a write. */
  findCurrentHolder(anchorId: string, transactionId: string): Promise<Intent | null>;
  /** Like `findCurrentHolder`, but raises the version first, so that a change derived from the earlier state is refused. */
  touchHolder(anchorId: string, transactionId: string): Promise<Intent | null>;
  /**
   * The intent without a transaction that claimed this one first: a pending one, or one of these statuses; only those of an
   * account if one is given.
   */
  findFirstClaimant(
    claimed: {
      anchorId: string;
      transactionId: string;
      account?: string;
      statuses?: readonly Intent['status'][];
    },
    session?: ClientSession,
  ): Promise<Intent | null>;
  /** Writes a change unless somebody else wrote since the intent was read. Returns whether it was written. */
  saveProgress(change: IntentChange, session?: ClientSession): Promise<boolean>;
  /** Writes many changes, each conditional on its own version. Returns how many were written. */
  saveAllProgress(changes: readonly IntentChange[]): Promise<number>;
  /**
   * Resumes the polls of an id that was given up: one at once, and then at growing intervals until it is given up again.
   * Returns whether the id had been given up.
   */
  takeUpAgain(intentHash: string, now: Date): Promise<boolean>;
  /**
   * Keeps an intent for good whose dispute is filed or decided, and raises its version, since the dispute is part of its
   * answer. Returns whether the intent exists.
   */
  keep(session: ClientSession, intentHash: string): Promise<boolean>;
  /** Sets how the outcome counts after an accepted dispute. Returns whether the intent exists. */
  applyDisputeEffect(session: ClientSession, intentHash: string, effect: DisputeEffect): Promise<boolean>;
}

/** Most intents that one command inserts or reads; an insert of this many takes some 150 KB. */
const maxBatch = 100;

const text = { type: String, default: null };
const mixed = { type: Schema.Types.Mixed, default: null };

const intentSchema = new Schema<Intent>(
  {
    _id: { type: String, required: true },
    anchorId: { type: String, required: true },
    corridor: { type: String, required: true },
    account: { type: String, required: true },
    sellAmount: { type: String, required: true },
    minReceive: text,
    deliveryMethod: text,
    createdAt: { type: Date, required: true },
    client: text,
    deadline: { type: Date, required: true },
    quote: mixed,
    corridorTerms: { type: Schema.Types.Mixed, required: true },
    status: { type: String, required: true },
    transactionId: { type: String },
    attachedAt: { type: Date, default: null },
    dialect: text,
    observations: { type: Schema.Types.Mixed, required: true },
    problem: text,
    sender: text,
    claimedId: { type: String },
    claimedAt: { type: Date, default: null },
    amountIn: text,
    payment: mixed,
    paymentId: { type: String },
    contradicted: { type: Boolean, default: false },
    lookUpDue: { type: Date },
    recoveredAt: { type: Date, default: null },
    callbacks: mixed,
    poll: { type: String, required: true },
    unknownPolls: { type: Number, default: 0 },
    open: { type: Boolean, required: true },
    due: { type: Date, required: true },
    removeAt: { type: Date },
    steps: { type: Schema.Types.Mixed },
    version: { type: Number, required: true },
    outcome: mixed,
    unscoredReason: text,
    disputeEffect: text,
  },
  { collection: 'intents', versionKey: false, minimize: false },
);
intentSchema.index(
  { anchorId: 1, transactionId: 1 },
  {
    unique: true,
    partialFilterExpression: { transactionId: { $type: 'string' } },
    name: 'one_intent_per_transaction',
  },
);
intentSchema.index(
  { anchorId: 1, claimedId: 1, account: 1, claimedAt: 1 },
  { partialFilterExpression: { claimedId: { $type: 'string' } }, name: 'claims_of_transaction' },
);
intentSchema.index(
  { open: 1, anchorId: 1, poll: 1, due: 1 },
  { partialFilterExpression: { open: true }, name: 'due' },
);
intentSchema.index(
  { open: 1, client: 1, poll: 1, attachedAt: 1 },
  { partialFilterExpression: { open: true }, name: 'places' },
);
const hasOutcome = { partialFilterExpression: { 'outcome.kind': { $exists: true } } };
intentSchema.index(
  { anchorId: 1, corridor: 1, 'outcome.kind': 1, 'outcome.recordedAt': 1, disputeEffect: 1 },
  { ...hasOutcome, name: 'outcomes_of_day' },
);
intentSchema.index(
  { account: 1, 'outcome.kind': 1, 'outcome.recordedAt': 1, disputeEffect: 1 },
  { ...hasOutcome, name: 'outcomes_of_account' },
);
intentSchema.index(
  { paymentId: 1 },
  {
    unique: true,
    partialFilterExpression: { paymentId: { $type: 'string' } },
    name: 'one_intent_per_payment',
  },
);
intentSchema.index(
  { lookUpDue: 1 },
  { partialFilterExpression: { lookUpDue: { $type: 'date' } }, name: 'payments_to_look_up' },
);
intentSchema.index(
  { anchorId: 1, createdAt: 1 },
  { partialFilterExpression: { contradicted: true }, name: 'contradicted' },
);
intentSchema.index({ removeAt: 1 }, { expireAfterSeconds: 0, name: 'removed_unpaid' });

/** Registers the model on the connection, so that its collection and indexes can be prepared. For this folder's stores. */
export function intentModel(connection: Connection) {
  return defineModel<Intent>(connection, 'Intent', intentSchema);
}

export function createIntentStore(connection: Connection): IntentStore {
  const model = intentModel(connection);

  async function findByHashes(intentHashes: readonly string[]): Promise<Intent[]> {
    const found = await model.find({ _id: { $in: [...intentHashes] } }).lean<Intent[]>();
    return found;
  }

  const findInBatches = inBatches<string, Intent | null>({
    async send(intentHashes) {
      const found = await findByHashes([...new Set(intentHashes)]);
      const byHash = new Map(found.map((intent) => [intent._id, intent]));
      return intentHashes.map((intentHash) => byHash.get(intentHash) ?? null);
    },
    maxItems: maxBatch,
  });

  async function insertAll(intents: readonly Intent[]): Promise<void> {
    // Bypasses mongoose, which builds a model of each document first: that takes longer than the rest of a registration.
    await model.collection.insertMany([...intents] as never[], { ordered: false });
  }

  const insertInBatches = inBatches<Intent, boolean>({
    async send(intents) {
      const refused = await writeErrorsOf(() => insertAll(intents));
      return intents.map((_, place) => {
        const error = refused.get(place);
        if (error === undefined) return true;
        return isDuplicateKey(error) ? false : error;
      });
    },
    maxItems: maxBatch,
  });

  return {
    async findByHash(intentHash, session) {
      if (session === undefined) return findInBatches(intentHash);
      return await model.findById(intentHash).session(session).lean<Intent>();
    },

    findByHashes,

    findCurrent: async (_id) => findCurrent(model, { _id }),

    insert: insertInBatches,

    insertAll,

    isEmpty: async () => (await model.exists({})) === null,

    async findByTransaction(anchorId, transactionId, session) {
      const found = await model
        .findOne({ anchorId, transactionId: exactly(transactionId) })
        .session(session ?? null)
        .lean<Intent>();
      return found;
    },

    findCurrentHolder: async (anchorId, transactionId) =>
      findCurrent(model, { anchorId, transactionId: exactly(transactionId) }),

    async touchHolder(anchorId, transactionId) {
      const touched = await model
        .findOneAndUpdate(
          { anchorId, transactionId: exactly(transactionId) },
          { $inc: { version: 1 } },
          { returnDocument: 'after' },
        )
        .lean<Intent>();
      return touched;
    },

    async findFirstClaimant({ transactionId: claimedId, statuses = ['pending'], ...of }, session) {
      const found = await model
        .findOne({
          ...of,
          claimedId: exactly(claimedId),
          status: { $in: [...statuses] },
          transactionId: { $exists: false },
        })
        .sort({ claimedAt: 1, _id: 1 })
        .session(session ?? null)
        .lean<Intent>();
      return found;
    },

    async saveProgress(change, session) {
      const { filter, update } = versionedUpdate(change);
      const { matchedCount } = await model.updateOne(
        filter,
        update,
        session === undefined ? {} : { session },
      );
      return matchedCount === 1;
    },

    async saveAllProgress(changes) {
      const writes = changes.map((change) => ({ updateOne: versionedUpdate(change) }));
      return (await model.bulkWrite(writes, { ordered: false })).modifiedCount;
    },

    async takeUpAgain(_id, now) {
      const givenUp = { _id, open: true, poll: 'never' as const, unknownPolls: { $gte: givenUpAfterPolls } };
      const change = { $set: { poll: 'unconfirmed', unknownPolls: 1, due: now }, $inc: { version: 1 } };
      return (await model.updateOne(givenUp, change)).matchedCount === 1;
    },

    async keep(session, intentHash) {
      const change = { $unset: { removeAt: '' as const }, $inc: { version: 1 } };
      return (await model.updateOne({ _id: intentHash }, change, { session })).matchedCount === 1;
    },

    async applyDisputeEffect(session, intentHash, disputeEffect) {
      const change = { $set: { disputeEffect } };
      return (await model.updateOne({ _id: intentHash }, change, { session })).matchedCount === 1;
    },
  };
}

/** Adds the type, without which the partial indexes on strings are not used and the whole collection is read. */
function exactly(value: string) {
  return { $eq: value, $type: 'string' } as const;
}

/** Writes the members that differ, and the steps that the change causes together with it. */
function versionedUpdate({ before, after, releasedAt }: IntentChange) {
  const { _id, version } = before;
  const known = stepsOf(before);
  const steps = stepsOf({ ...after, steps: known }, releasedAt);
  const next: Intent = steps.length > (before.steps?.length ?? 0) ? { ...after, steps } : after;
  const names = Object.keys({ ...before, ...next }) as (keyof Intent)[];
  const changed = names.filter((name) => next[name] !== before[name]);
  const $set = Object.fromEntries(
    changed.flatMap((name) => (next[name] === undefined ? [] : [[name, next[name]]])),
  );
  const $unset = Object.fromEntries(
    changed.flatMap((name) => (next[name] === undefined ? [[name, '' as const]] : [])),
  );
  return { filter: { _id, version }, update: { $set, $unset, $inc: { version: 1 } } };
}
