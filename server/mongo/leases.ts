import type { ClientSession, Connection, mongo } from 'mongoose';
import type { Clock, Logger } from '../ports.js';
import { killSessions } from './interrupted-transactions.js';
import { createLeaseStore, type LeaseState, type LeaseTerm } from './lease-store.js';

/** The work under a lease must stop: another holds the lease now, or the service is stopping. The next run takes over. */
export class LeaseLostError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'LeaseLostError';
  }
}

/** A lease while its holder works under it. */
export interface HeldLease extends LeaseTerm {
  /** Aborted as soon as a renewal finds another holder or the service stops: finish the current step and return. */
  readonly signal: AbortSignal;
  /**
   * Must be the first operation of every transaction of the job. It updates the lease, so that a holder that was taken
   * over cannot commit; reading the lease would not prevent that. Throws LeaseLostError.
   */
  fence(session: ClientSession): Promise<void>;
  /**
   * Call this right before a step that no transaction can take back. Throws LeaseLostError once the lease may have
   * expired by the time that has passed in this process, for example after a pause, even if no renewal has failed yet.
   */
  throwIfLapsed(): void;
}

export type LeaseOutcome<T> = { ran: true; value: T } | { ran: false; startedAt: string };

export interface Leases {
  /** Inserts the lease documents at boot, so that acquiring is always one update of an existing document. */
  seed(names: readonly string[]): Promise<string[]>;
  /** Runs `work` under the lease, renewing at a third of `ttlMs`; does not run it while another holds the lease. */
  run<T>(name: string, ttlMs: number, work: (lease: HeldLease) => Promise<T>): Promise<LeaseOutcome<T>>;
  /** The stored lease; null if it was never seeded. */
  read(name: string): Promise<LeaseState | null>;
  /** Aborts the work under every lease held here, gives none out any more, and waits until all are handed back. */
  stop(): Promise<void>;
}

/** `owner` names this process for its lifetime. Times are the database server's, never this machine's: ADR 7. */
export function createLeases(deps: {
  connection: Connection;
  owner: string;
  logger: Logger;
  /** Throws if this instance must not run jobs now; jobs that already run are not interrupted. */
  throwIfUnfit?: () => void;
  /** Monotonic milliseconds, which do not pass while the machine is suspended. */
  stopwatch?: Clock;
  /** MongoDB's time, in which leases expire, and which is read again after a suspend. */
  databaseTime?: Clock;
}): Leases {
  const { connection, owner, logger, throwIfUnfit, stopwatch = () => performance.now() } = deps;
  const { databaseTime = stopwatch } = deps;
  const times = () => [stopwatch(), databaseTime()] as const;
  const store = createLeaseStore(connection);
  /**
   * Aborts each piece of work that is running now. On Node 20, a signal made by `AbortSignal.any` is never removed from its
   * sources, so none is made for each run.
   */
  const working = new Set<AbortController>();
  let stopping: LeaseLostError | undefined;
  const inHand = new Set<Promise<unknown>>();

  /** Renews a term until `end`. It lasts at least `ttlMs` from when it, or its last renewal, was requested. */
  function keepRenewed(
    term: LeaseTerm,
    ttlMs: number,
    askedAt: ReturnType<typeof times>,
    onLost: (error: Error) => void,
  ) {
    let heldSince = askedAt;
    const timer = setInterval(() => {
      const renewalAskedAt = times();
      store.setExpiry(term, owner, ttlMs).then(
        (held) => {
          if (held) heldSince = renewalAskedAt;
          else onLost(heldByAnother(term.name));
        },
        (error: unknown) => logger.warn({ err: error, lease: term.name }, 'lease renewal failed'),
      );
    }, ttlMs / 3);
    timer.unref();
    const hasLapsed = () => {
      const [passed, time] = times();
      return passed - heldSince[0] >= ttlMs || time - heldSince[1] >= ttlMs;
    };
    return { end: () => clearInterval(timer), hasLapsed };
  }

  async function runUnderLease<T>(
    name: string,
    ttlMs: number,
    work: (lease: HeldLease) => Promise<T>,
  ): Promise<LeaseOutcome<T>> {
    if (stopping !== undefined) throw stopping;
    throwIfUnfit?.();
    await endSessionsOfDeadHolder({ connection, logger }, name);
    const askedAt = times();
    const term = await store.acquire(name, owner, ttlMs);
    if (term === null) {
      const held = await store.read(name);
      return { ran: false, startedAt: (held?.acquiredAt ?? new Date(0)).toISOString() };
    }
    const over = new AbortController();
    working.add(over);
    if (stopping !== undefined) over.abort(stopping);
    const renewal = keepRenewed(term, ttlMs, askedAt, (error) => over.abort(error));
    const sessions = new Set<string>();
    let ended = false;
    const refuseIfEnded = () => {
      if (ended) throw new LeaseLostError(`the work under the lease "${name}" has ended`);
    };
    const lease: HeldLease = {
      ...term,
      signal: over.signal,
      async fence(session) {
        refuseIfEnded();
        // Stored before it locks anything, so that a successor can end it.
        const id = session.id?.id as mongo.Binary;
        const known = id.toString('hex');
        if (!sessions.has(known)) {
          await store.addSession(term, id);
          // The sessions of the term may have been deleted meanwhile.
          if (ended) await store.deleteSessions(term);
          refuseIfEnded();
        }
        sessions.add(known);
        if (!(await store.lock(term, owner, session))) throw heldByAnother(name);
      },
      throwIfLapsed() {
        if (renewal.hasLapsed())
          throw new LeaseLostError(`the lease "${name}" may be held by another by now`);
      },
    };
    try {
      // The holders before this one cannot lock anything under the lease any more.
      await store.deleteEarlierSessions(term);
      return { ran: true, value: await work(lease) };
    } finally {
      renewal.end();
      working.delete(over);
      // The driver uses these sessions for other work from now on, so a successor must not end them.
      ended = true;
      await store.deleteSessions(term).catch((error: unknown) => {
        logger.warn(
          { err: error, lease: name },
          'sessions of the lease are still recorded; the next run ends them',
        );
      });
      await store.release(term, owner).catch((error: unknown) => {
        logger.warn({ err: error, lease: name }, 'lease was not handed back; it expires by itself');
      });
    }
  }

  return {
    async seed(names) {
      const isNew = await Promise.all(names.map((name) => store.seed(name)));
      return names.filter((_name, place) => isNew[place]);
    },

    run(name, ttlMs, work) {
      const running = runUnderLease(name, ttlMs, work);
      const settled = running.then(noop, noop).finally(() => inHand.delete(settled));
      inHand.add(settled);
      return running;
    },

    read: store.read,

    async stop() {
      stopping = new LeaseLostError('the service is stopping');
      for (const each of working) each.abort(stopping);
      await Promise.all(inHand);
    },
  };
}

/**
 * Must be called before acquiring. A holder that was killed inside a transaction leaves it open on the server, with its
 * locks, for up to 60 s; the lease is one of the locked documents, so until then nobody could even take it over
 * (measured: every attempt timed out). Holders store their sessions, and this ends those of an expired lease. The
 * sessions stay stored until the lease has a new holder: a late renewal may still revive the old one, or its last
 * operations may arrive only now.
 */
export async function endSessionsOfDeadHolder(
  { connection, logger }: { connection: Connection; logger: Logger },
  name: string,
): Promise<void> {
  const left = await createLeaseStore(connection).sessionsOfExpired(name);
  if (left.length === 0) return;
  try {
    await killSessions(
      connection,
      left.map((id) => ({ id })),
    );
    logger.warn({ lease: name, sessions: left.length }, 'ended what a dead holder of the lease left open');
  } catch (error) {
    // The command may not be allowed here; the server ends the transactions itself, later.
    logger.warn({ err: error, lease: name }, 'could not end what a dead holder of the lease left open');
  }
}

const noop = () => undefined;

function heldByAnother(name: string): LeaseLostError {
  return new LeaseLostError(`the lease "${name}" is held by another`);
}
