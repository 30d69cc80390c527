import type { Connection } from 'mongoose';
import type { Clock } from '../ports.js';
import { narrowed, type OffsetBounds, offsetOf } from './database-clock.rules.js';

/**
 * MongoDB's time, in this process: the one clock that all instances share, whatever the clocks of their machines say.
 * Between two readings it goes on by monotonic time, so that a machine whose clock is set, or a database that does not
 * answer, changes nothing.
 */
export interface DatabaseClock {
  /**
   * MongoDB's present time in epoch milliseconds, as exact as the fastest answers allow. It stands still instead of
   * going back by up to five seconds, for example after an election; if MongoDB's time was set back further, it
   * follows. Throws before the first reading.
   */
  now: Clock;
  /** Reads MongoDB's time again. If MongoDB does not answer, the known time stays in force. */
  read(): Promise<void>;
  /** How far the clock of this machine is ahead of MongoDB's, in milliseconds; negative where it is behind. */
  machineAheadMs(): number;
}

const standsStillForMs = 5_000;
/** A larger change between the machine's clock and the monotonic one is no slewing: a suspend, or a clock that was set. */
const machineJumpMs = 1_000;
/** The first exchange on a new connection is slow. */
const firstReadings = 3;

export function createDatabaseClock(deps: {
  /** MongoDB's time as its primary tells it. */
  readTime: () => Promise<Date>;
  /** The clock of this machine. */
  machineClock?: Clock;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): DatabaseClock {
  const { readTime, machineClock = Date.now, stopwatch = () => performance.now() } = deps;
  let known: OffsetBounds | undefined;
  let last = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let machineOffset = machineClock() - stopwatch();

  async function readAll(): Promise<void> {
    const readings = known === undefined ? firstReadings : 1;
    for (let done = 0; done < readings; done += 1) {
      const sentAt = stopwatch();
      const time = await readTime();
      known = narrowed(known, { sentAt, receivedAt: stopwatch(), databaseMs: time.getTime() });
    }
  }

  function read(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** Reads the time again after a suspend, during which the monotonic clock stands still, or after a change of the clock. */
  function noticeJump(): void {
    const offset = machineClock() - stopwatch();
    if (Math.abs(offset - machineOffset) < machineJumpMs) return;
    machineOffset = offset;
    // If it fails, the schedule reads again.
    read().catch(() => undefined);
  }

  function databaseMs(): number {
    if (known === undefined) throw new Error("MongoDB's time was never read");
    noticeJump();
    return Math.floor(stopwatch() + offsetOf(known));
  }

  return {
    now() {
      const time = databaseMs();
      if (time > last || time < last - standsStillForMs) last = time;
      return last;
    },
    read,
    machineAheadMs: () => machineClock() - databaseMs(),
  };
}

/** The wall clock of the primary; `$$NOW` in a query is the same. */
export async function readDatabaseTime(connection: Connection): Promise<Date> {
  const answer = await connection.db?.command({ hello: 1 }, { readPreference: 'primary' });
  if (!(answer?.localTime instanceof Date)) throw new Error('the database did not tell its time');
  return answer.localTime;
}
