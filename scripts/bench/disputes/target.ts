import { randomBytes } from 'node:crypto';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { settledIntent } from '../lib/settled-intent.js';

/** The input of the flood, in a file. */
export interface FloodTarget {
  url: string;
  seconds: number;
  intents: { intentHash: string; publicKey: string }[];
}

/** Inserts this many settled intents, each of its own account, into the service's database. */
export async function addSettledIntents(uri: string, count: number): Promise<FloodTarget['intents']> {
  const intents = Array.from({ length: count }, () => settledIntent(encodePublicKey(randomBytes(32))));
  const connection = await connectMongo({ uri });
  try {
    await createIntentStore(connection).insertAll(intents);
  } finally {
    await connection.close();
  }
  return intents.map(({ _id: intentHash, account: publicKey }) => ({ intentHash, publicKey }));
}
