import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

/** The part of the driver's connection that is needed here; the driver exports no more than its type. */
interface DriverConnection {
  command(...given: unknown[]): Promise<unknown>;
  /** Closes it, so that nobody is given it again. */
  onError(error: Error): void;
}

const driver = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const { Connection } = driver('mongodb/lib/cmap/connection') as {
  Connection: { prototype: DriverConnection };
};
let closesThem = false;

/**
 * Closes the connections on which an answer is still to come, for every client of this process. Where the time of an
 * operation ends between its sending and the reading of its answer, the driver (6.20, and still 7.9) hands the connection
 * to the next operation, which then reads that answer as its own, and the one after it that of the next. A transaction that
 * conflicts until its time is up comes to it in six of a hundred cases.
 */
export function closeWithUnreadAnswers(): void {
  if (closesThem) return;
  closesThem = true;
  const { command } = Connection.prototype;
  Connection.prototype.command = async function (this: DriverConnection, ...given) {
    try {
      return await command.apply(this, given);
    } catch (error) {
      if (leavesAnAnswer(error)) this.onError(error);
      throw error;
    }
  };
}

/** An end of the time that the server told was read from an answer; the driver keeps that as its cause. */
function leavesAnAnswer(error: unknown): error is Error {
  return (
    error instanceof mongo.MongoOperationTimeoutError && !(error.cause instanceof mongo.MongoServerError)
  );
}
