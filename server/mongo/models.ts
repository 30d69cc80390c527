import type { Connection, Model, Schema } from 'mongoose';

/** The model of this name on this connection, compiled once: stores of one process may all ask for it. */
export function defineModel<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, schema);
}
