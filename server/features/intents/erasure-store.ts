import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection } from '../../mongo/models.js';
import type { Intent } from './intent.js';
import { intentModel } from './store.js';

export type ErasureStore = ReturnType<typeof createErasureStore>;

/** The query for one account reads every intent. */
const scanTimeoutMs = 120_000;

/** The queries of the intents collection that erase an account. */
export function createErasureStore(connection: Connection) {
  const model = intentModel(connection);
  const bulk = bulkCollection<Intent>(connection, model.collection.name);
  return {
    /** Every intent of an account. Reads the whole collection. */
    listOfAccount: (account: string) =>
      model.find({ account }).setOptions({ timeoutMS: scanTimeoutMs }).lean<Intent[]>().exec(),

    /** The intents with these hashes that exist, as the transaction sees them. */
    read: (session: ClientSession, intentHashes: readonly string[]) =>
      model
        .find({ _id: { $in: [...intentHashes] } })
        .session(session)
        .lean<Intent[]>()
        .exec(),

    async replace(
      session: ClientSession,
      intentHashes: readonly string[],
      by: readonly Intent[],
    ): Promise<void> {
      await model.deleteMany({ _id: { $in: [...intentHashes] } }, { session });
      if (by.length > 0) await bulk.insertMany([...by], { session });
    },
  };
}
