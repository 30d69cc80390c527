import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { type ChangeStreamDeps, watchChanges } from '../../mongo/change-streams.js';
import { isDuplicateKey, writeErrorsOf } from '../../mongo/failures.js';
import { bulkCollection, collectionOf, defineModel } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/transactions.js';
import type { DisputeEffect, Intent } from './intent.js';
import { createInsertTogether } from './registration/insert-together.js';
import { stepsAfter } from './transition/steps.rules.js';
import { givenUpAfterPolls } from './transition/transition.rules.js';

/** An intent as it was read and as it is to be: written only if its version is still the same. */
export interface IntentChange {
  before: Intent;
  after: Intent;
  /** When its transaction passed to another intent, if this change hands it over. */
  releasedAt?: Date;
}

/** Intents without a transaction that claim this one: pending ones, or of these statuses. */
export interface Claimants {
  anchorId: string;
  claimedId: string;
  account?: string;
  _id?: string;
  statuses?: readonly Intent['status'][];
}

/** An erasure reads every intent. */
const scanTimeoutMs = 120_000;

/** The queries of the intents collection, except those of the other stores in this folder. */
export type IntentStore = ReturnType<typeof createIntentStore>;

/** It holds the indexes alone: the stores use the driver's collection, whose documents are intents as they are. */
const intentSchema = new Schema<Intent>({ _id: String }, { collection: 'intents', versionKey: false });
const whereString = (member: string) => ({ partialFilterExpression: { [member]: { $type: 'string' } } });
const whereOpen = { partialFilterExpression: { open: true } };
const whereEnded = { partialFilterExpression: { 'outcome.kind': { $exists: true } } };
intentSchema.index(
  { anchorId: 1, transactionId: 1 },
  { unique: true, ...whereString('transactionId'), name: 'one_intent_per_transaction' },
);
intentSchema.index(
  { anchorId: 1, claimedId: 1, account: 1, claimedAt: 1 },
  { ...whereString('claimedId'), name: 'claims_of_transaction' },
);
intentSchema.index({ open: 1, anchorId: 1, poll: 1, due: 1 }, { ...whereOpen, name: 'due' });
intentSchema.index({ open: 1, client: 1, poll: 1, attachedAt: 1 }, { ...whereOpen, name: 'places' });
intentSchema.index(
  { anchorId: 1, corridor: 1, 'outcome.kind': 1, 'outcome.recordedAt': 1, disputeEffect: 1 },
  { ...whereEnded, name: 'outcomes_of_day' },
);
intentSchema.index(
  { account: 1, 'outcome.kind': 1, 'outcome.recordedAt': 1, disputeEffect: 1 },
  { ...whereEnded, name: 'outcomes_of_account' },
);
intentSchema.index(
  { 'payment.found.operationId': 1 },
  { unique: true, ...whereString('payment.found.operationId'), name: 'one_intent_per_payment' },
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

/** The collection of the model. For this folder's stores. */
export function intentCollection(connection: Connection): mongo.Collection<Intent> {
  return collectionOf(connection, 'Intent', intentSchema);
}

export function createIntentStore(connection: Connection) {
  const model = defineModel(connection, 'Intent', intentSchema);
  const intents = intentCollection(connection);
  const inBulk = bulkCollection<Intent>(connection, intents.collectionName);
  const among = (hashes: readonly string[]) => ({ _id: { $in: [...hashes] } });
  const inSession = (session: ClientSession | undefined) => (session === undefined ? {} : { session });

  /** Inserts intents as they are, and marks no days. */
  async function insertAll(all: readonly Intent[]): Promise<void> {
    await intents.insertMany([...all], { ordered: false, ignoreUndefined: true });
  }

  return {
    /** The intents with these hashes that exist. With a session, as that transaction sees them. */
    findByHashes: (intentHashes: readonly string[], session?: ClientSession): Promise<Intent[]> =>
      intents.find(among(intentHashes), inSession(session)).toArray(),

    /** With a session, reads as that transaction sees it. */
    findByHash: (_id: string, session?: ClientSession): Promise<Intent | null> =>
      intents.findOne({ _id }, inSession(session)),

    /** The intent that has just refused a write; a find could return what it was before. */
    findCurrent: (_id: string): Promise<Intent | null> => findCurrent(model, { _id }),

    /** False where the hash is stored already, or another intent of the anchor has the transaction. */
    insert: createInsertTogether(async (batch) => {
      const refused = await writeErrorsOf(() => insertAll(batch));
      return batch.map((_, place) => {
        const error = refused.get(place);
        if (error === undefined) return true;
        return isDuplicateKey(error) ? false : error;
      });
    }),

    /** For simulated histories. */
    insertAll,

    isEmpty: async (): Promise<boolean> => (await intents.findOne({})) === null,

    /** The intent that holds this transaction of the anchor. */
    findByTransaction: (anchorId: string, transactionId: string): Promise<Intent | null> =>
      intents.findOne({ anchorId, transactionId: exactly(transactionId) }),

    /** The same, after that intent has refused a write; a change that was derived from its earlier state is refused. */
    touchHolder: (anchorId: string, transactionId: string): Promise<Intent | null> =>
      intents.findOneAndUpdate(
        { anchorId, transactionId: exactly(transactionId) },
        { $inc: { version: 1 } },
        { returnDocument: 'after' },
      ),

    /** Of these claimants one that signed for its account, else the first. */
    async findFirstClaimant(
      { claimedId, statuses = ['pending'], ...of }: Claimants,
      session?: ClientSession,
    ): Promise<Intent | null> {
      const claims = { ...of, claimedId: exactly(claimedId), transactionId: { $exists: false } };
      return intents.findOne(
        { ...claims, status: { $in: [...statuses] } },
        { sort: { signed: -1, claimedAt: 1, _id: 1 }, ...inSession(session) },
      );
    },

    /** Writes a change unless somebody else wrote since the intent was read. Returns whether it was written. */
    async saveProgress(change: IntentChange, session?: ClientSession): Promise<boolean> {
      const { _id, version } = change.before;
      const written = await intents.updateOne({ _id, version }, updateOf(change), inSession(session));
      return written.matchedCount === 1;
    },

    /**
     * Resumes the polls of an id that was given up: one at once, and then at growing intervals until it is given up again.
     * Returns whether the id had been given up.
     */
    async takeUpAgain(_id: string, now: Date): Promise<boolean> {
      const written = await intents.updateOne(
        { _id, open: true, poll: 'never', unknownPolls: { $gte: givenUpAfterPolls } },
        { $set: { poll: 'unconfirmed', unknownPolls: 1, due: now }, $inc: { version: 1 } },
      );
      return written.matchedCount === 1;
    },

    /**
     * Keeps an intent for good whose dispute is filed or decided, and raises its version, since the dispute is part of its
     * answer. Returns whether the intent exists.
     */
    async keep(session: ClientSession, _id: string): Promise<boolean> {
      const change = { $unset: { removeAt: '' as const }, $inc: { version: 1 } };
      return (await intents.updateOne({ _id }, change, { session })).matchedCount === 1;
    },

    /** The versions of those of these intents that exist, read by one query. */
    async versionsOf(intentHashes: readonly string[]): Promise<Map<string, number>> {
      const found = intents
        .find(among(intentHashes))
        .project<Pick<Intent, '_id' | 'version'>>({ version: 1 });
      return new Map((await found.toArray()).map(({ _id, version }) => [_id, version]));
    },

    /** Calls `onChange` for each intent that was changed or removed, while it is open. */
    watch: (
      deps: Pick<ChangeStreamDeps<Intent>, 'onOpen' | 'logger'> & { onChange: (intentHash: string) => void },
    ) =>
      watchChanges({
        ...deps,
        model,
        pipeline: [
          { $match: { operationType: { $in: ['update', 'delete'] } } },
          { $project: { documentKey: 1 } },
        ],
        onChange: ({ documentKey }) => deps.onChange(String(documentKey?._id)),
      }),

    listOfAccount: (account: string) => intents.find({ account }, { timeoutMS: scanTimeoutMs }).toArray(),

    async replaceAll(session: ClientSession, hashes: readonly string[], by: Intent[]): Promise<void> {
      await inBulk.deleteMany(among(hashes), { session });
      if (by.length > 0) await inBulk.insertMany(by, { session, ignoreUndefined: true });
    },

    /** Sets how the outcome counts after an accepted dispute. Returns whether the intent exists. */
    async applyDisputeEffect(
      session: ClientSession,
      _id: string,
      disputeEffect: DisputeEffect,
    ): Promise<boolean> {
      return (await intents.updateOne({ _id }, { $set: { disputeEffect } }, { session })).matchedCount === 1;
    },
  };
}

/** Adds the type, without which the partial indexes on strings are not used and the whole collection is read. */
function exactly(value: string) {
  return { $eq: value, $type: 'string' } as const;
}

/** Writes the members that differ, and the steps that the change causes together with it. */
function updateOf({ before, after, releasedAt }: IntentChange): mongo.UpdateFilter<Intent> {
  const next: Intent = { ...after, steps: stepsAfter(before, after, releasedAt) };
  const $set: Record<string, unknown> = {};
  const $unset: Record<string, ''> = {};
  for (const name of Object.keys({ ...before, ...next }) as (keyof Intent)[]) {
    if (next[name] === before[name]) continue;
    if (next[name] === undefined) $unset[name] = '';
    else $set[name] = next[name];
  }
  return { $set, $unset, $inc: { version: 1 } };
}
