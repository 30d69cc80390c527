import { type Connection, Mongoose } from 'mongoose';
import { isMongoUnavailable } from './failures.js';

/** The time limits of every database operation; a stopped primary must not hang its callers. */
const operationTimeoutMs = 2_000;
const selectionTimeoutMs = 1_500;

/** Opens the one client of the process. `databaseName` overrides the one in the address. No error repeats the address. */
export async function connectMongo(options: { uri: string; databaseName?: string }): Promise<Connection> {
  try {
    return await open(options);
  } catch (error) {
    const ofTheServer = isMongoUnavailable(error) || (error as Error).name === 'MongoServerError';
    if (ofTheServer || !repeatsCredentials(error, options.uri)) throw error;
    // The driver quotes an address that it cannot read, or the part where it believes the user's name to be.
    throw new Error(
      'MONGODB_URI is no address of a MongoDB: a user name and a password in it must be percent-encoded.',
    );
  }
}

function repeatsCredentials(error: unknown, uri: string): boolean {
  const credentials = /\/\/(.*)@/.exec(uri)?.[1] ?? '';
  return credentials.split(/[:@/]/).some((part) => part !== '' && String(error).includes(part));
}

async function open(options: { uri: string; databaseName?: string }): Promise<Connection> {
  const mongoose = new Mongoose();
  // `true` would drop unknown fields from a filter and so match everything.
  mongoose.set('strictQuery', 'throw');
  return mongoose
    .createConnection(options.uri, {
      ...(options.databaseName === undefined ? {} : { dbName: options.databaseName }),
      timeoutMS: operationTimeoutMs,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: selectionTimeoutMs,
      // A primary that comes back is noticed by the next heartbeat; the driver's 10 s would prolong every outage.
      heartbeatFrequencyMS: 1_000,
      writeConcern: { w: 'majority' },
      retryWrites: true,
      bufferCommands: false,
      autoCreate: false,
      autoIndex: false,
      maxPoolSize: 50,
      appName: 'fairlead',
    })
    .asPromise();
}
