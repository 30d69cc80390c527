import type { Connection } from 'mongoose';
import { ApiError } from '../errors.js';
import { createOutageLog } from '../logger.js';
import type { Clock, Logger } from '../ports.js';

/** This instance runs no job now, because the clock of its machine is wrong: NOT_READY if a request asked for the job. */
export class WrongClockError extends ApiError {
  constructor(message: string) {
    super('NOT_READY', message, { retryAfter: retryAfterSeconds });
  }
}

/** A clock is not put right within seconds; another instance can be asked at once. */
const retryAfterSeconds = 10;
const maxDifferenceMs = 5_000;

export type ClockCheck = ReturnType<typeof createClockCheck>;

/**
 * Machines keep time by NTP. This compares the clock of this machine with the primary's when the service starts and then
 * every minute, because deadlines and windows that differ by seconds between instances would treat people differently.
 */
export function createClockCheck(deps: {
  readPrimaryTime: () => Promise<Date>;
  logger: Logger;
  machineClock?: Clock;
}) {
  const { readPrimaryTime, logger, machineClock = Date.now } = deps;
  const outages = createOutageLog({
    says: {
      failed: 'the clock of this machine is more than 5 s off that of the database: no job runs here',
      worked: 'the clock of this machine agrees with the database again: jobs run here again',
    },
    clock: machineClock,
    logger,
  });
  let aheadMs = 0;

  /** What is wrong with the clock of this machine, in a sentence; undefined if nothing is. */
  function fault(): string | undefined {
    if (Math.abs(aheadMs) <= maxDifferenceMs) return undefined;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's; no job runs here.`;
  }

  return {
    /** Asks the primary, and logs when the difference becomes too large or ends. If it does not answer, nothing changes. */
    async look(): Promise<void> {
      const askedAt = machineClock();
      const primaryTime = await readPrimaryTime();
      // The primary read its clock about half-way through the round trip.
      aheadMs = (askedAt + machineClock()) / 2 - primaryTime.getTime();
      const state = fault() === undefined ? 'worked' : 'failed';
      outages[state]('clock', { machineAheadSeconds: aheadMs / 1_000 });
    },
    /** How far the clock of this machine was ahead at the last look, in milliseconds; negative where it was behind. */
    aheadMs: () => aheadMs,
    fault,
    /** Throws WrongClockError (NOT_READY) if the clock is wrong. */
    throwIfWrong(): void {
      const message = fault();
      if (message !== undefined) throw new WrongClockError(message);
    },
  };
}

/** The wall clock of the primary; `$$NOW` in a query is the same. */
export async function readPrimaryTime(connection: Connection): Promise<Date> {
  const answer = await connection.db?.command({ hello: 1 }, { readPreference: 'primary' });
  if (!(answer?.localTime instanceof Date)) throw new Error('the database did not tell its time');
  return answer.localTime;
}
