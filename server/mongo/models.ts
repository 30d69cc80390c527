import { type Connection, type Model, type mongo, type RootFilterQuery, Schema } from 'mongoose';
import { claimShape } from './shape-store.js';

/** The model of this name on this connection, compiled once, however many stores of a process ask for it. */
export function defineModel<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, schema);
}

/** The driver's collection of a model, for documents that need no checks and no conversion. */
export function collectionOf<T extends mongo.Document>(
  connection: Connection,
  name: string,
  schema: Schema<T>,
): mongo.Collection<T> {
  const { collection } = defineModel(connection, name, schema);
  return connection.getClient().db(connection.name).collection<T>(collection.name);
}

/** For documents that only our code writes, so that their TypeScript type alone says what they hold. `_id` is ours, too. */
export function typedSchema<T>(collection: string): Schema<T> {
  const options = {
    collection,
    strict: false,
    strictQuery: false,
    minimize: false,
    versionKey: false,
  } as const;
  return new Schema({ _id: { type: Schema.Types.Mixed, required: true } }, options) as unknown as Schema<T>;
}

/** A slow disk takes seconds to make the files of many collections at the same time. */
const createWithinMs = 30_000;

/**
 * Creates the collection and the indexes of every model that a store has defined. Idempotent. Throws ShapeError for a
 * database of another shape. Waits for the builds however long they take: MongoDB aborts a build whose command has a time
 * limit, and the next start would begin again. A build whose client is gone continues, and others that ask for the index
 * wait for it. Reads and writes continue.
 */
export async function prepareCollections(connection: Connection): Promise<void> {
  await claimShape(connection);
  const present = new Set((await connection.listCollections()).map(({ name }) => name));
  await Promise.all(
    Object.values(connection.models).map(async (model) => {
      if (!present.has(model.collection.name)) await model.createCollection({ timeoutMS: createWithinMs });
      await createIndexes(model);
    }),
  );
}

async function createIndexes(model: Model<unknown>): Promise<void> {
  const indexes = model.schema
    .indexes()
    .map(([key, { background: _, ...options }]) => ({ ...options, key }) as mongo.IndexDescription);
  if (indexes.length === 0) return;
  // A member that is down would otherwise hold up the build until it is back.
  const options = { timeoutMS: 0, commitQuorum: 'majority' } as const;
  // One command for all indexes takes a third of the time of one per index, as mongoose would send them.
  await model.collection.createIndexes(indexes, options);
}

/** Counting stops here, so that the cost of counting a backlog is bounded. */
export const mostCounted = 100_000;

/**
 * The number of documents that match, 100,000 at most, counted by `index`. Throws if the index is missing, rather than
 * scan the collection.
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
