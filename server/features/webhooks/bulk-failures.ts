import { mongo } from 'mongoose';
import { insideBulk, isMongoUnavailable } from '../../mongo/failures.js';

/**
 * Writes that do no more when they are done twice, done once more where the connection or the primary was lost under
 * them. The driver does so by itself, but not for updates of many (6.20).
 */
export async function repeatedOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // After a time-out there is no time left.
    const late = insideBulk(error) instanceof mongo.MongoOperationTimeoutError;
    if (late || !isMongoUnavailable(error)) throw error;
    return write();
  }
}
