import { mongo } from 'mongoose';
import { isMongoUnavailable } from '../../mongo/failures.js';

/** A bulk write hides what the driver failed with (6.20): it becomes the message, and this member. */
export function insideBulk(error: unknown): unknown {
  return error instanceof mongo.MongoBulkWriteError && error.errorResponse instanceof Error
    ? error.errorResponse
    : error;
}

/**
 * Writes that do no more when they are done twice, done once more where the connection or the primary was lost under
 * them. The driver does so by itself, but not for updates of many (6.20).
 */
export async function repeatedOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const inside = insideBulk(error);
    // After a time-out there is no time left.
    if (!isMongoUnavailable(inside) || inside instanceof mongo.MongoOperationTimeoutError) throw error;
    return write();
  }
}
