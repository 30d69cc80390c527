import type { ClientSession, Connection } from 'mongoose';
import type { HeldLease } from './leases.js';

/** Services pass sessions on and take their type from here, so that they need not know mongoose. */
export type { ClientSession } from 'mongoose';

const transactionTimeoutMs = 3_000;

/**
 * Runs `work` in one transaction, retried as a whole on transient conflicts, all tries within 3 s. `work` must be
 * idempotent and use only MongoDB; it avoids duplicates by reading first, since an E11000 aborts the transaction.
 */
export type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

export function createInTransaction(connection: Connection): InTransaction {
  return (work) =>
    connection.getClient().withSession((session) =>
      session.withTransaction(() => work(session), {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        timeoutMS: transactionTimeoutMs,
      }),
    );
}

/** Like `InTransaction`, but commits only while the lease is held. Throws LeaseLostError. */
export type InLeasedTransaction = <T>(
  lease: HeldLease,
  work: (session: ClientSession) => Promise<T>,
) => Promise<T>;

export function createInLeasedTransaction(inTransaction: InTransaction): InLeasedTransaction {
  return (lease, work) =>
    inTransaction(async (session) => {
      await lease.fence(session);
      return work(session);
    });
}
