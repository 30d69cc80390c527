import { type ClientSession, type Connection, Schema } from 'mongoose';
import { bulkCollection, defineModel } from '../../mongo/models.js';

/** The day since which each account has outcomes that count, with any anchor. */
export interface AccountStore {
  /** The first UTC day of each of these accounts, as the transaction sees it; accounts without one are absent. */
  readFirstDays(session: ClientSession, accounts: readonly string[]): Promise<Map<string, string>>;
  /** Stores the first days; an earlier stored one is kept. Only the holder of the aggregation lease may call it. */
  saveFirstDays(session: ClientSession, firstDays: ReadonlyMap<string, string>): Promise<void>;
  /** Deletes the entry of an account. */
  forget(session: ClientSession, account: string): Promise<void>;
  /** The name of its collection, which the roll-up store can fill. */
  collectionName: string;
}

interface AccountDocument {
  /** `G…` */
  _id: string;
  /** `2026-11-21` */
  firstDay: string;
}

const accountSchema = new Schema<AccountDocument>(
  { _id: { type: String, required: true }, firstDay: { type: String, required: true } },
  { collection: 'reputation_accounts', versionKey: false },
);

export function createAccountStore(connection: Connection): AccountStore {
  const accounts = defineModel(connection, 'ReputationAccount', accountSchema);
  const bulk = bulkCollection<AccountDocument>(connection, accounts.collection.name);

  return {
    collectionName: accounts.collection.name,

    async forget(session, account) {
      await accounts.deleteOne({ _id: account }, { session });
    },

    async readFirstDays(session, ids) {
      const found = await accounts
        .find({ _id: { $in: [...ids] } })
        .session(session)
        .lean();
      return new Map(found.map(({ _id, firstDay }) => [_id, firstDay]));
    },

    async saveFirstDays(session, firstDays) {
      if (firstDays.size === 0) return;
      const updates = [...firstDays].map(([_id, firstDay]) => ({
        updateOne: { filter: { _id }, update: { $min: { firstDay } }, upsert: true },
      }));
      await bulk.bulkWrite(updates, { session, ordered: false });
    },
  };
}
