import { mongo } from 'mongoose';

/**
 * Codes of a server that is reachable but cannot do the work now, by MongoDB's categories: data not reachable, not
 * primary, shutting down, interrupted, out of time, not yet confirmed, not yet ready. Any other code is an answer: the
 * operation was refused, and would be again.
 */
const notNowCodes = new Set([
  6, 7, 89, 202, 384, 9001, 10058, 10107, 13435, 13436, 189, 91, 11600, 11601, 11602, 24, 43, 237, 251, 276,
  279, 290, 355, 50, 262, 64, 133, 134, 94, 211, 234, 246, 365, 462,
]);

/** With these labels the server or the driver says that the same operation may succeed if it is retried. */
const retryLabels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

/** Errors of the driver that show wrong use or wrong configuration, whatever the state of the database. */
const oursToMend = [
  mongo.MongoAPIError,
  mongo.MongoParseError,
  mongo.MongoKerberosError,
  mongo.MongoAWSError,
  mongo.MongoOIDCError,
];

/** Errors whose class also means wrong use, but which occur when the connection is lost. */
const notConnected = [
  mongo.MongoNotConnectedError,
  mongo.MongoServerClosedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
];

/** The system's codes for connections, and Node's codes for a connection that is written to after its end. */
const socketCodes = /^(E(?!RR_)[A-Z]+(_[A-Z]+)?|ERR_(SOCKET|STREAM|SSL)_\w+)$/;
/** The system's codes for files, which no connection has. */
const fileCodes = /^E(NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|ROFS|NOSPC|MFILE)$/;

/**
 * Whether the database could not be reached, or cannot do the work now, so that trying again later may help. The kind
 * of the error decides, so that unknown errors are recognised, too: errors of the driver that are neither an answer of
 * the server nor wrong use of the driver, and errors of sockets. Outbound calls have an error of their own
 * (OutboundError), so a bare error of a socket can only come from the driver.
 */
export function isMongoUnavailable(error: unknown): boolean {
  return isUnavailable(error) || isSocketError(error);
}

/** The same without bare errors of sockets, which are also the cause of failed outbound calls. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const inside = insideBulk(error);
  if (inside !== error) return isMongoUnavailable(inside);
  if (error instanceof mongo.MongoError && isNotNow(error)) return true;
  // Mongoose has its own class for a failed server selection, beside the driver's.
  if (error.name === 'MongooseServerSelectionError') return true;
  // With bufferCommands off, mongoose throws this before the connection is open; only the message identifies it.
  if (error.name === 'MongooseError' && error.message.includes('bufferCommands = false')) return true;
  return isUnavailable(error.cause);
}

function isNotNow(error: mongo.MongoError): boolean {
  if (retryLabels.some((label) => error.hasErrorLabel(label))) return true;
  if (error instanceof mongo.MongoServerError) return notNowCodes.has(Number(error.code));
  if (notConnected.some((kind) => error instanceof kind)) return true;
  // The driver wraps a TypeError if it gets input that it cannot use, such as an address with a port that is no number.
  if (error.cause instanceof TypeError) return false;
  return !oursToMend.some((kind) => error instanceof kind);
}

function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return socketCodes.test(error.code) && !fileCodes.test(error.code) && !('path' in error);
}

/** The driver (6.20) wraps the error of a bulk write and keeps the original in `errorResponse`. */
export function insideBulk(error: unknown): unknown {
  const bulk = error instanceof Error && error.name === 'MongoBulkWriteError' && 'errorResponse' in error;
  return bulk && error.errorResponse instanceof Error ? error.errorResponse : error;
}

/**
 * Does an unordered bulk write. Resolves to the errors of the refused operations, by index; those without one were
 * done. Rejects if the server did not report on each: then any of them may have been done.
 */
export async function writeErrorsOf(write: () => Promise<unknown>): Promise<Map<number, Error>> {
  try {
    await write();
    return new Map();
  } catch (error) {
    // The driver (6.20) leaves the list empty where the write concern was not met, or where there was no answer.
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const refused = [error.writeErrors].flat();
    if (refused.length === 0) throw error;
    return new Map(
      refused.map(({ index, code, errmsg }) => [
        index,
        new mongo.MongoServerError({ message: errmsg ?? 'refused', code }),
      ]),
    );
  }
}

/** A unique index refused the write (E11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}
