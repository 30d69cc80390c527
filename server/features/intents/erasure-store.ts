import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection } from '../../mongo/models.js';
import type { Intent } from './intent.js';
import { intentModel } from './store.js';

/** The queries of the intents collection that erase an account. */
export interface ErasureStore {
  /** Every intent of an account. Reads the whole collection. */
  listOfAccount(account: string): Promise<Intent[]>;
  /** The intents with these hashes that exist, as the transaction sees them. */
  read(session: ClientSession, intentHashes: readonly string[]): Promise<Intent[]>;
  remove(session: ClientSession, intentHashes: readonly string[]): Promise<void>;
  insert(session: ClientSession, intents: readonly Intent[]): Promise<void>;
}

/** The query for one account reads every intent. */
const scanTimeoutMs = 120_000;

export function createErasureStore(connection: Connection): ErasureStore {
  const model = intentModel(connection);
  const bulk = bulkCollection<Intent>(connection, model.collection.name);

  return {
    async listOfAccount(account) {
      const found = await model.find({ account }).setOptions({ timeoutMS: scanTimeoutMs }).lean<Intent[]>();
      return found;
    },

    async read(session, intentHashes) {
      const found = await model
        .find({ _id: { $in: [...intentHashes] } })
        .session(session)
        .lean<Intent[]>();
      return found;
    },

    async remove(session, intentHashes) {
      await model.deleteMany({ _id: { $in: [...intentHashes] } }, { session });
    },

    async insert(session, intents) {
      if (intents.length === 0) return;
      await bulk.insertMany([...intents], { session });
    },
  };
}
