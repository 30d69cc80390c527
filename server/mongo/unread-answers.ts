import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

/** The part of the driver's connection that is needed here; the driver exports no more than its type. */
interface DriverConnection {
  command(...given: unknown[]): Promise<unknown>;
  /** Closes the connection, so that it is not used again. */
  onError(error: Error): void;
}

const driver = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const { Connection } = driver('mongodb/lib/cmap/connection') as {
  Connection: { prototype: DriverConnection };
};
let closesThem = false;

/**
 * Makes every client of this process close connections on which an answer is still pending. If an operation times out
 * between sending its command and reading the answer, the driver (6.20, and still 7.9) gives the connection to the next
 * operation, which then reads that answer as its own, and the one after it reads the answer of the next. This happens
 * to a transaction that conflicts until its time is up in six of a hundred cases.
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

/** Whether a timeout left an answer unread; one that the server reported was read from an answer, which is its cause. */
function leavesAnAnswer(error: unknown): error is Error {
  return (
    error instanceof mongo.MongoOperationTimeoutError && !(error.cause instanceof mongo.MongoServerError)
  );
}
