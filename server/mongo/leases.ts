import type { ClientSession, Connection } from 'mongoose';
import type { Clock, Logger } from '../ports.js';
import { createLeaseSessions } from './lease-sessions.js';
import { type LeaseTerm, leaseModel } from './lease-store.js';

/** The work under a lease may not go on: another holds it now, or the service is stopping. The next run takes over. */
export class LeaseLostError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'LeaseLostError';
  }
}

/** A lease while its holder works under it. */
export interface HeldLease extends LeaseTerm {
  /** Aborted as soon as a renewal fails or the service stops: finish the step in hand and return. */
  readonly signal: AbortSignal;
  /**
   * Must be the first operation of every transaction of the job. It updates the lease by name, owner and token,
   * so that a holder that was taken over cannot commit (reading the lease would not fence). Throws LeaseLostError.
   */
  fence(session: ClientSession): Promise<void>;
  /**
   * For what no transaction can take back, right before it is done. Throws LeaseLostError once the lease may have
   * lapsed by the time that has passed here, as after a stop of this process, though nobody has told it so yet.
   */
  throwIfLapsed(): void;
}

export type LeaseOutcome<T> = { ran: true; value: T } | { ran: false; startedAt: string };

export interface Leases {
  /** Inserts the lease documents at start, so that acquiring is always one update of an existing one. */
  seed(names: readonly string[]): Promise<void>;
  /** Runs `work` under the lease, renewing at a third of `ttlMs`; does not run it while another holds the lease. */
  run<T>(name: string, ttlMs: number, work: (lease: HeldLease) => Promise<T>): Promise<LeaseOutcome<T>>;
  /** Aborts the work under every lease that is held here, gives none out any more, and waits until all are handed back. */
  stop(): Promise<void>;
}

/**
 * `owner` names this process for its lifetime. Times are the database server's, never this machine's. What a holder
 * that died has left open is ended by the next one: see LeaseSessions.
 */
export function createLeases(deps: {
  connection: Connection;
  owner: string;
  logger: Logger;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): Leases {
  const { stopwatch = () => performance.now() } = deps;
  const leases = leaseModel(deps.connection);
  const sessions = createLeaseSessions(deps);
  const stopping = new AbortController();
  const inHand = new Set<Promise<unknown>>();

  async function acquire(name: string, ttlMs: number) {
    return leases
      .findOneAndUpdate(
        { _id: name, $expr: { $lte: ['$expiresAt', '$$NOW'] } },
        [
          {
            $set: {
              owner: deps.owner,
              token: { $add: ['$token', 1] },
              acquiredAt: '$$NOW',
              expiresAt: { $add: ['$$NOW', ttlMs] },
            },
          },
        ],
        { returnDocument: 'after' },
      )
      .lean();
  }

  async function setExpiry(name: string, token: number, ttlMs: number): Promise<boolean> {
    const result = await leases.updateOne({ _id: name, owner: deps.owner, token }, [
      { $set: { expiresAt: { $add: ['$$NOW', ttlMs] } } },
    ]);
    return result.matchedCount === 1;
  }

  /** The lease lasts at least for `ttlMs` from when it was asked for, and so for each renewal. */
  function keepRenewed(name: string, token: number, ttlMs: number, lost: AbortController, askedAt: number) {
    let lapsesAt = askedAt + ttlMs;
    const timer = setInterval(() => {
      const renewalAt = stopwatch();
      setExpiry(name, token, ttlMs).then(
        (held) => {
          if (held) lapsesAt = renewalAt + ttlMs;
          else lost.abort(heldByAnother(name));
        },
        (error: unknown) => deps.logger.warn({ err: error, lease: name }, 'lease renewal failed'),
      );
    }, ttlMs / 3);
    timer.unref();
    return { end: () => clearInterval(timer), lapsed: () => stopwatch() >= lapsesAt };
  }

  async function runUnderLease<T>(
    name: string,
    ttlMs: number,
    work: (lease: HeldLease) => Promise<T>,
  ): Promise<LeaseOutcome<T>> {
    stopping.signal.throwIfAborted();
    await sessions.endDead(name);
    const askedAt = stopwatch();
    const row = await acquire(name, ttlMs);
    if (row === null) {
      const held = await leases.findById(name).lean();
      return { ran: false, startedAt: (held?.acquiredAt ?? new Date(0)).toISOString() };
    }
    const lost = new AbortController();
    const renewal = keepRenewed(name, row.token, ttlMs, lost, askedAt);
    const lease: HeldLease = {
      name,
      token: row.token,
      signal: AbortSignal.any([lost.signal, stopping.signal]),
      async fence(session) {
        await sessions.register(lease, session);
        const result = await leases.updateOne(
          { _id: name, owner: deps.owner, token: row.token },
          { $inc: { fences: 1 } },
          { session },
        );
        if (result.matchedCount !== 1) throw heldByAnother(name);
      },
      throwIfLapsed() {
        if (renewal.lapsed()) throw new LeaseLostError(`the lease "${name}" may be held by another by now`);
      },
    };
    try {
      await sessions.succeed(lease);
      return { ran: true, value: await work(lease) };
    } finally {
      renewal.end();
      // Left behind they are found by the next holder, and ended for nothing.
      await sessions.forget(lease).catch(() => undefined);
      await setExpiry(name, row.token, 0).catch((error: unknown) =>
        deps.logger.warn({ err: error, lease: name }, 'lease was not handed back; it expires by itself'),
      );
    }
  }

  return {
    async seed(names) {
      for (const name of names) {
        await leases.updateOne(
          { _id: name },
          { $setOnInsert: { owner: null, token: 0, acquiredAt: null, expiresAt: new Date(0), fences: 0 } },
          { upsert: true },
        );
      }
    },

    run(name, ttlMs, work) {
      const running = runUnderLease(name, ttlMs, work);
      const settled = running.then(noop, noop).finally(() => inHand.delete(settled));
      inHand.add(settled);
      return running;
    },

    async stop() {
      stopping.abort(new LeaseLostError('the service is stopping'));
      await Promise.all(inHand);
    },
  };
}

const noop = () => undefined;

function heldByAnother(name: string): LeaseLostError {
  return new LeaseLostError(`the lease "${name}" is held by another`);
}
