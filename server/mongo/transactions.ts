import type { ClientSession, Connection } from 'mongoose';

const transactionTimeoutMs = 3_000;

/**
 * Runs `work` in one transaction, retried as a whole on transient conflicts, all tries within 3 s. `work` must be
 * idempotent and do nothing but MongoDB; it avoids duplicates by reading first, since an E11000 aborts it.
 */
export type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

export function createInTransaction(connection: Connection): InTransaction {
  return async (work) => {
    const session = await connection.startSession();
    try {
      return await session.withTransaction(() => work(session), {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        timeoutMS: transactionTimeoutMs,
      });
    } finally {
      await session.endSession();
    }
  };
}
