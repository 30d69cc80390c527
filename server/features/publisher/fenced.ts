import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';

/**
 * Runs `work` in a transaction that commits only while the lease is held. Every write of a tick goes through here.
 * Throws LeaseLostError.
 */
export type Fenced = <T>(lease: HeldLease, work: (session: ClientSession) => Promise<T>) => Promise<T>;

export function createFenced(inTransaction: InTransaction): Fenced {
  return (lease, work) =>
    inTransaction(async (session) => {
      await lease.fence(session);
      return work(session);
    });
}
