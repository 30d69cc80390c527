import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection } from '../../mongo/models.js';
import type { Intent } from './intent.js';
import { type IntentDocument, intentModel, toDocument, toIntent } from './store.js';

/** The queries of the intents collection that erase an account. */
export interface ErasureStore {
  /** Every intent of an account. Reads the whole collection. */
  listOfAccount(account: string): Promise<Intent[]>;
  /** The intents with these hashes that exist, as the transaction sees them. */
  read(session: ClientSession, intentHashes: readonly string[]): Promise<Intent[]>;
  remove(session: ClientSession, intentHashes: readonly string[]): Promise<void>;
  /** Inserts intents together with their `counting`. */
  insertCounted(session: ClientSession, intents: readonly Intent[]): Promise<void>;
}

/** The query for one account reads every intent. */
const scanTimeoutMs = 120_000;

export function createErasureStore(connection: Connection): ErasureStore {
  const model = intentModel(connection);
  const bulk = bulkCollection<IntentDocument>(connection, model.collection.name);

  return {
    async listOfAccount(account) {
      const found = await model
        .find({ account })
        .setOptions({ timeoutMS: scanTimeoutMs })
        .lean<IntentDocument[]>();
      return found.map((document) => toIntent(document));
    },

    async read(session, intentHashes) {
      const found = await model
        .find({ _id: { $in: [...intentHashes] } })
        .session(session)
        .lean<IntentDocument[]>();
      return found.map((document) => toIntent(document));
    },

    async remove(session, intentHashes) {
      await model.deleteMany({ _id: { $in: [...intentHashes] } }, { session });
    },

    async insertCounted(session, intents) {
      if (intents.length === 0) return;
      const documents = intents.map((intent) => {
        const { counted = null, admission = null } = intent.counting ?? {};
        return { ...toDocument(intent), counted, admission, unfolded: false };
      });
      await bulk.insertMany(documents, { session });
    },
  };
}
