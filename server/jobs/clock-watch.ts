import type { DatabaseClock } from '../mongo/database-clock.js';
import { createOutageLog } from '../outage-log.js';
import type { Logger } from '../ports.js';
import type { OnEveryInstance } from './scheduler.js';
import { WrongClockError } from './wrong-clock.js';

/** Compares the clock of this machine with MongoDB's. */
export interface ClockWatch {
  /** A job on every instance: reads MongoDB's time again, and logs when the difference becomes too large or ends. */
  look: OnEveryInstance;
  /** What is wrong with the clock of this machine, in a sentence; undefined if nothing is. */
  fault(): string | undefined;
  /** Throws WrongClockError (NOT_READY) if the clock is wrong. */
  throwIfWrong(): void;
}

const maxDifferenceMs = 5_000;

export function createClockWatch(deps: {
  databaseClock: Pick<DatabaseClock, 'now' | 'read' | 'machineAheadMs'>;
  logger: Logger;
}): ClockWatch {
  const { databaseClock, logger } = deps;
  const outages = createOutageLog({
    says: {
      failed: 'the clock of this machine is more than 5 s off the time of the database: no job runs here',
      worked: 'the clock of this machine agrees with the database again: jobs run here again',
    },
    clock: databaseClock.now,
    logger,
  });

  function fault(): string | undefined {
    const aheadMs = databaseClock.machineAheadMs();
    if (Math.abs(aheadMs) <= maxDifferenceMs) return undefined;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's; no job runs here.`;
  }

  return {
    async look() {
      try {
        await databaseClock.read();
      } finally {
        const state = fault() === undefined ? 'worked' : 'failed';
        outages[state]('clock', { machineAheadSeconds: databaseClock.machineAheadMs() / 1_000 });
      }
    },
    fault,
    throwIfWrong() {
      const message = fault();
      if (message !== undefined) throw new WrongClockError(message);
    },
  };
}
