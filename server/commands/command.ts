import type { Connection } from 'mongoose';
import { readDatabaseAddress } from '../config.js';
import { connectMongo } from '../mongo/connection.js';
import { requireShape } from '../mongo/shape-store.js';

/** A subcommand of cli.ts. */
export interface Command {
  /** The arguments after its name, as in `[--dry-run] <account>`. */
  usage: string;
  /** What it does, in one sentence. */
  does: string;
  /** The page that says what an operator has to know besides. */
  guide: string;
  /** Throws OperatorError, or what the parser of arguments throws, before anything is changed. */
  run(args: string[]): Promise<Result>;
}

export interface Result {
  /** Printed as JSON. */
  report: object;
  /** False where the report says what remains to be done. */
  complete: boolean;
}

/**
 * Does work on the database that MONGODB_URI names, and puts that name before the report. Refuses one
 * without the service's data, such as one whose name was mistyped: a command would truthfully say of it that there is
 * nothing to do.
 */
export async function onServiceDatabase(work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const connection = await connectMongo({ uri: readDatabaseAddress(process.env) });
  try {
    await requireShape(connection);
    const { report, complete } = await work(connection);
    return { report: { database: connection.name, ...report }, complete };
  } finally {
    await connection.close();
  }
}
