import type { Connection } from 'mongoose';
import { namesDatabase } from './config.js';
import { connectMongo } from './mongo/connection.js';
import { endBy, stopSignals } from './stop-signals.js';

/** The exit code of a command that failed. */
export const couldNotBeDone = 2;

/** Does work on the database that MONGODB_URI and MONGODB_DATABASE name, and resolves to its exit code. */
export async function onDatabase(work: (connection: Connection) => Promise<number>): Promise<number> {
  const { MONGODB_URI: uri, MONGODB_DATABASE } = process.env;
  const databaseName = MONGODB_DATABASE || undefined;
  if (!uri || !namesDatabase(uri, databaseName)) {
    return refuse('MONGODB_URI must be set and name a database, or MONGODB_DATABASE be set, too.');
  }
  const connection = await connectMongo({ uri, ...(databaseName === undefined ? {} : { databaseName }) });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/**
 * Does work on the service's own database: `isOurs` says whether it is. Of any other one, such as one whose name was
 * mistyped, a command would truthfully say that there is nothing to do.
 */
export function onServiceDatabase(
  isOurs: (connection: Connection) => Promise<boolean>,
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  return onDatabase(async (connection) => {
    if (await isOurs(connection)) return work(connection);
    return refuse(`The database ${connection.name} has no data of the service: is it the right one?`);
  });
}

/** Says on standard error why a command cannot be done. */
export function refuse(why: string): typeof couldNotBeDone {
  process.stderr.write(`${why}\n`);
  return couldNotBeDone;
}

/** Ends the process with the exit code of the command, once everything is written. */
export function runCommand(command: () => Promise<number>): void {
  // Without these handlers, a signal does not end the first process of a container.
  for (const signal of stopSignals) process.once(signal, endBy);
  command()
    .catch((error: unknown) => refuse(String(error)))
    .then((code) => {
      process.exitCode = code;
    });
}
