import { type ClientSession, type Connection, type Model, mongo } from 'mongoose';
import { ApiError } from '../errors.js';
import type { Pause, Random } from '../ports.js';
import { type BackoffPolicy, backoffMs } from '../timing.js';

/** Services pass sessions on and take their type from here, so that they need not know mongoose. */
export type { ClientSession } from 'mongoose';

const transactionTimeoutMs = 3_000;
/**
 * No try begins later. Otherwise the driver would try again until the time is up, perhaps between sending a command and
 * reading its answer: then it (6.20, and still 7.9) gives the connection with that answer to the next operation.
 */
const lastTryMs = 2_000;

/**
 * Runs `work` in one transaction, retried as a whole on transient conflicts, all tries within 3 s. `work` must be
 * idempotent and use only MongoDB; it avoids duplicates by reading first, since an E11000 aborts the transaction.
 */
export type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

export function createInTransaction(connection: Connection): InTransaction {
  return (work) => {
    const lastTryAt = performance.now() + lastTryMs;
    const attempt = (session: ClientSession) =>
      work(session).catch((error: unknown) => {
        const wouldRetry =
          error instanceof mongo.MongoError && error.hasErrorLabel('TransientTransactionError');
        if (!wouldRetry || performance.now() < lastTryAt) throw error;
        throw new Error('the transaction found no moment without a conflict', { cause: error });
      });
    return connection.getClient().withSession((session) =>
      session.withTransaction(() => attempt(session), {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        timeoutMS: transactionTimeoutMs,
      }),
    );
  };
}

/** What a transaction needs of a lease (leases.ts). */
interface Fence {
  fence(session: ClientSession): Promise<void>;
}

/** Like `InTransaction`, but commits only while the lease is held. Throws LeaseLostError. */
export type InLeasedTransaction = <T>(
  lease: Fence,
  work: (session: ClientSession) => Promise<T>,
) => Promise<T>;

export function createInLeasedTransaction(inTransaction: InTransaction): InLeasedTransaction {
  return (lease, work) =>
    inTransaction(async (session) => {
      await lease.fence(session);
      return work(session);
    });
}

const retryPause: BackoffPolicy = { baseMs: 10, factor: 2, maxMs: 200, jitter: 0.5 };

/**
 * Reads what has just refused a write, by E11000 or because the version did not match. A find may still return what was
 * there before: it sees only what a majority of the members has. This is an update that changes nothing, so it sees the
 * newest state and, like every write, waits until a majority has it.
 */
export function findCurrent<T>(model: Model<T>, filter: mongo.Filter<T>): Promise<T | null> {
  const collection = model.collection as unknown as mongo.Collection<mongo.Document>;
  const unchanged = { $setOnInsert: {} };
  return collection.findOneAndUpdate(filter as mongo.Filter<mongo.Document>, unchanged) as Promise<T | null>;
}

/** Waits before a refused write is tried again, longer with each of its `tries`; before the first it does not wait. */
export type PauseBeforeTry = (tries: number) => Promise<void>;

export function createPauseBeforeTry(deps: { pause: Pause; random: Random }): PauseBeforeTry {
  return async (tries) => {
    if (tries > 0) await deps.pause(backoffMs(tries, retryPause, deps.random));
  };
}

const maxTries = 8;

/**
 * Others changed the same document during every try. A client is told to send its request again; a job leaves the work for
 * its next run.
 */
export class ContendedWriteError extends ApiError {
  constructor() {
    super('NOT_READY', 'Too many requests change this at once; try again shortly.', { retryAfter: 1 });
    this.name = 'ContendedWriteError';
  }
}

/** Tries until a result; undefined where another writer came first. Throws ContendedWriteError. */
export async function untilWritten<T>(
  pauseBeforeTry: PauseBeforeTry,
  attempt: (tries: number) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await pauseBeforeTry(tries);
    const result = await attempt(tries);
    if (result !== undefined) return result;
  }
  throw new ContendedWriteError();
}
