import type { Connection, Model, mongo, RootFilterQuery, Schema } from 'mongoose';

/** The model of this name on this connection, compiled once, however many stores of a process ask for it. */
export function defineModel<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, schema);
}

/** How long an operator's start may wait for one index to be built; another start goes on where this one gave up. */
const indexBuildTimeoutMs = 60_000;

/** Creates the collection and the indexes of every model that a store has defined. Idempotent. */
export async function prepareCollections(connection: Connection): Promise<void> {
  await Promise.all(Object.values(connection.models).map(prepareCollection));
}

/** One command for all indexes of a collection, where mongoose would send one for each: a third of the time. */
async function prepareCollection(model: Model<unknown>): Promise<void> {
  await model.createCollection({ timeoutMS: indexBuildTimeoutMs });
  const indexes = model.schema
    .indexes()
    .map(([key, { background: _, ...options }]) => ({ ...options, key }) as mongo.IndexDescription);
  if (indexes.length > 0) await model.collection.createIndexes(indexes, { timeoutMS: indexBuildTimeoutMs });
}

/** Counting stops here, so that counting a backlog costs no more however long it has grown. */
export const mostCounted = 100_000;

/**
 * The number of documents that match, 100,000 at most, counted by `index`. Throws where the index is missing, rather
 * than scan the collection.
 */
export function countUpTo<T>(model: Model<T>, filter: RootFilterQuery<T>, index: string): Promise<number> {
  return model.countDocuments(filter, { hint: index, limit: mostCounted }).exec();
}

/**
 * A collection for `bulkWrite` and `insertMany` inside a transaction, whose time limit is then the only one. The
 * driver (6.20) merges the client's time limit into the options of these calls and then refuses it: "An operation
 * cannot be given a timeoutMS setting when inside a withTransaction call". Outside transactions this collection has no
 * time limit at all: do not use it there.
 */
export function bulkCollection<T extends mongo.Document>(
  connection: Connection,
  name: string,
): mongo.Collection<T> {
  const noLimit = { timeoutMS: undefined } as unknown as mongo.DbOptions;
  return connection.getClient().db(connection.name, noLimit).collection<T>(name);
}
