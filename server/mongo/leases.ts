import type { ClientSession, Connection } from 'mongoose';
import type { Logger } from '../ports.js';
import { defineModel, typedSchema } from './models.js';
import { findCurrent } from './transactions.js';

/** A lease as stored. Its times are those of the primary (`$$NOW`), which all instances share. */
interface LeaseDocument {
  /** The name of the lease. */
  _id: string;
  /** Null while nobody holds it. */
  owner: string | null;
  /** The fencing token: grows with every acquisition. */
  token: number;
  acquiredAt: Date | null;
  expiresAt: Date;
  /** Counts the transactions under the lease: each updates this document first. */
  fences: number;
}

/** The work under a lease must stop: another holds the lease now, or the service is stopping. The next run takes over. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** A lease while its holder works under it. */
export interface HeldLease {
  /** The fencing token: larger than that of every holder before. */
  readonly token: number;
  /** Aborted as soon as a renewal finds another holder or the service stops: finish the current step and return. */
  readonly signal: AbortSignal;
  /**
   * Must be the first operation of every transaction of the job. It updates the lease, so that a holder that was taken
   * over cannot commit; reading the lease would not prevent that. Throws LeaseLostError.
   */
  fence(session: ClientSession): Promise<void>;
}

export type LeaseOutcome<T> = { ran: true; value: T } | { ran: false; startedAt: string };

export type Leases = ReturnType<typeof createLeases>;

/** `owner` names this process for its lifetime, for people who read the leases; the token decides. */
export function createLeases(deps: {
  connection: Connection;
  owner: string;
  logger: Logger;
  /** Throws if this instance must not run jobs now; jobs that already run are not interrupted. */
  throwIfUnfit?: () => void;
}) {
  const { connection, owner, logger, throwIfUnfit } = deps;
  const leases = defineModel(connection, 'Lease', typedSchema<LeaseDocument>('leases'));
  /** The work that is under way, by what aborts it. */
  const working = new Map<AbortController, Promise<unknown>>();
  let stopping: LeaseLostError | undefined;

  /** Takes the lease if it has expired, and returns the new token. */
  async function acquire(name: string, ttlMs: number): Promise<number | undefined> {
    const taken = {
      owner,
      token: { $add: ['$token', 1] },
      acquiredAt: '$$NOW',
      expiresAt: { $add: ['$$NOW', ttlMs] },
    };
    const expired = { _id: name, $expr: { $lte: ['$expiresAt', '$$NOW'] } };
    const lease = await leases
      .findOneAndUpdate(expired, [{ $set: taken }], { returnDocument: 'after' })
      .lean();
    return lease?.token;
  }

  /** Renews until `end`, which waits for the last renewal, so that none arrives after the lease was handed back. */
  function keepRenewed(name: string, token: number, ttlMs: number, onLost: (error: Error) => void) {
    let last = Promise.resolve();
    const renew = async () => {
      const later = { expiresAt: { $add: ['$$NOW', ttlMs] } };
      const { matchedCount } = await leases.updateOne({ _id: name, token }, [{ $set: later }]);
      if (matchedCount === 0) onLost(heldByAnother(name));
    };
    const timer = setInterval(() => {
      last = renew().catch((error: unknown) =>
        logger.warn({ err: error, lease: name }, 'lease renewal failed'),
      );
    }, ttlMs / 3);
    timer.unref();
    return () => {
      clearInterval(timer);
      return last;
    };
  }

  async function runUnderLease<T>(
    over: AbortController,
    name: string,
    ttlMs: number,
    work: (lease: HeldLease) => Promise<T>,
  ): Promise<LeaseOutcome<T>> {
    const token = await acquire(name, ttlMs);
    if (token === undefined) {
      const held = await findCurrent(leases, { _id: name });
      return { ran: false, startedAt: (held?.acquiredAt ?? new Date(0)).toISOString() };
    }
    const endRenewals = keepRenewed(name, token, ttlMs, (error) => over.abort(error));
    const ofThisRun = { _id: name, token };
    try {
      const value = await work({
        token,
        signal: over.signal,
        async fence(session) {
          const { matchedCount } = await leases.updateOne(ofThisRun, { $inc: { fences: 1 } }, { session });
          if (matchedCount === 0) throw heldByAnother(name);
        },
      });
      return { ran: true, value };
    } finally {
      await endRenewals();
      const free = { owner: null, expiresAt: new Date(0) };
      await leases.updateOne(ofThisRun, { $set: free }).catch((error: unknown) => {
        logger.warn({ err: error, lease: name }, 'lease was not handed back; it expires by itself');
      });
    }
  }

  return {
    /** Inserts the leases that do not exist, free to be taken. */
    async seed(names: readonly string[]): Promise<void> {
      const free = { owner: null, token: 0, acquiredAt: null, expiresAt: new Date(0), fences: 0 };
      await Promise.all(
        names.map((_id) => leases.updateOne({ _id }, { $setOnInsert: free }, { upsert: true })),
      );
    },

    /** Runs `work` under the lease, renewing at a third of `ttlMs`; does not run it while another holds the lease. */
    async run<T>(
      name: string,
      ttlMs: number,
      work: (lease: HeldLease) => Promise<T>,
    ): Promise<LeaseOutcome<T>> {
      if (stopping !== undefined) throw stopping;
      throwIfUnfit?.();
      const over = new AbortController();
      const running = runUnderLease(over, name, ttlMs, work);
      working.set(over, running);
      return running.finally(() => working.delete(over));
    },

    /** The stored lease; null if it was never seeded. */
    read: (name: string): Promise<LeaseDocument | null> => leases.findById(name).lean(),

    /** Aborts the work under every lease held here, gives none out any more, and waits until all are handed back. */
    async stop(): Promise<void> {
      stopping = new LeaseLostError('the service is stopping');
      for (const over of working.keys()) over.abort(stopping);
      await Promise.allSettled(working.values());
    },
  };
}

function heldByAnother(name: string): LeaseLostError {
  return new LeaseLostError(`the lease "${name}" is held by another`);
}
