import type { Connection, mongo } from 'mongoose';

/**
 * A collection for `bulkWrite` and `insertMany` inside a transaction, whose time limit is then the only one. On a
 * collection that has inherited the client's, the driver (6.20) merges that into the options of the call and then
 * refuses it: "An operation cannot be given a timeoutMS setting when inside a withTransaction call". Outside
 * transactions it has no limit at all: do not use it there.
 */
export function bulkCollection<T extends mongo.Document>(
  connection: Connection,
  name: string,
): mongo.Collection<T> {
  const noLimit = { timeoutMS: undefined } as unknown as mongo.DbOptions;
  return connection.getClient().db(connection.name, noLimit).collection<T>(name);
}
