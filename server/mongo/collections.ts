import type { Connection } from 'mongoose';

/** Creates the collection and the indexes of every registered model; readiness waits for it. Idempotent. */
export async function prepareCollections(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection({ timeoutMS: 60_000 });
    await model.createIndexes();
  }
}
