import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger } from '../ports.js';
import { atMostEvery } from '../timing.js';
import { isMongoUnavailable } from './failures.js';

const patienceMs = 60_000;
const retryMs = 1_000;
const waitingLineMs = 60_000;

/** Does work that needs the database, and may be repeated. */
export type Patiently = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Retries work until it succeeds, for a minute at most in all, because the database may start at the same time as the
 * service, or lose its primary meanwhile. Work that ran for longer than that, such as the build of an index, had its
 * database: the minute begins again after it.
 */
export function createPatience(deps: { clock?: Clock; logger: Logger }): Patiently {
  const { clock = () => performance.now(), logger } = deps;
  let givingUpAt = clock() + patienceMs;
  const sayThatItWaits = atMostEvery(waitingLineMs, clock, (error: unknown) =>
    logger.warn({ err: error }, 'waiting for the database'),
  );
  return async (work) => {
    for (;;) {
      const begunAt = clock();
      try {
        return await work();
      } catch (error) {
        const now = clock();
        if (now - begunAt > patienceMs) givingUpAt = now + patienceMs;
        if (!isMongoUnavailable(error) || now > givingUpAt) throw error;
        sayThatItWaits(error);
        await delay(retryMs);
      }
    }
  };
}
