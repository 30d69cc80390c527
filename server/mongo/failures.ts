import { mongo } from 'mongoose';

const unavailableNames = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoOperationTimeoutError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'MongoPoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
]);

/** Not primary, node recovering, shutting down, interrupted: codes of the server's "not now". */
const unavailableCodes = new Set([91, 189, 262, 9001, 10107, 11600, 11601, 11602, 13435, 13436, 50]);

/** Whether the database could not be reached, or cannot be written now, so that trying again later may help. */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const inside = insideBulk(error);
  if (inside !== error) return isMongoUnavailable(inside);
  if (unavailableNames.has(error.name)) return true;
  if ('code' in error && typeof error.code === 'number' && unavailableCodes.has(error.code)) return true;
  // With bufferCommands off, mongoose throws this before the connection is open; only the message identifies it.
  if (error.name === 'MongooseError' && error.message.includes('bufferCommands = false')) return true;
  return error.cause instanceof Error && isMongoUnavailable(error.cause);
}

/** The driver (6.20) wraps the error of a bulk write and keeps the original in `errorResponse`. */
export function insideBulk(error: unknown): unknown {
  const bulk = error instanceof Error && error.name === 'MongoBulkWriteError' && 'errorResponse' in error;
  return bulk && error.errorResponse instanceof Error ? error.errorResponse : error;
}

/**
 * Does a write that may be done twice once more where the connection or the primary was lost under it. The driver (6.20)
 * does so by itself, but not for updates of many documents.
 */
export async function retriedOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // After a time-out there is no time left.
    const late = insideBulk(error) instanceof mongo.MongoOperationTimeoutError;
    if (late || !isMongoUnavailable(error)) throw error;
    return write();
  }
}

/** A unique index refused the write (E11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}

/** A transaction lost against another one that wrote the same documents; the whole of it may be tried again. */
export function isTransientConflict(error: unknown): boolean {
  return error instanceof mongo.MongoError && error.hasErrorLabel('TransientTransactionError');
}
