import type { ClientSession } from 'mongoose';
import type { LeaseSessions } from '../../mongo/lease-sessions.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';

/**
 * Runs `work` in a transaction that commits only while the lease is held, and that a successor can end should this
 * process die inside it. Every write of a tick goes through here. Throws LeaseLostError.
 */
export type Fenced = <T>(lease: HeldLease, work: (session: ClientSession) => Promise<T>) => Promise<T>;

export function createFenced(deps: {
  inTransaction: InTransaction;
  sessions: Pick<LeaseSessions, 'register'>;
}): Fenced {
  return (lease, work) =>
    deps.inTransaction(async (session) => {
      await deps.sessions.register(lease, session);
      await lease.fence(session);
      return work(session);
    });
}
