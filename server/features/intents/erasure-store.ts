import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection } from '../../mongo/models.js';
import type { Intent } from './intent.js';
import { intentCollection } from './store.js';

export type ErasureStore = ReturnType<typeof createErasureStore>;

/** The query for one account reads every intent. */
const scanTimeoutMs = 120_000;

/** The queries that erase an account. */
export function createErasureStore(connection: Connection) {
  const intents = intentCollection(connection);
  const inTransaction = bulkCollection<Intent>(connection, intents.collectionName);
  const among = (hashes: readonly string[]) => ({ _id: { $in: [...hashes] } });
  return {
    listOfAccount: (account: string) => intents.find({ account }, { timeoutMS: scanTimeoutMs }).toArray(),

    /** The intents with these hashes that exist, as the transaction sees them. */
    read: (session: ClientSession, hashes: readonly string[]) =>
      inTransaction.find(among(hashes), { session }).toArray(),

    async replace(session: ClientSession, hashes: readonly string[], by: Intent[]): Promise<void> {
      await inTransaction.deleteMany(among(hashes), { session });
      if (by.length > 0) await inTransaction.insertMany(by, { session });
    },
  };
}
