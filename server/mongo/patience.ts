import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger } from '../ports.js';
import { isMongoUnavailable } from './failures.js';

const patienceMs = 60_000;
const retryMs = 1_000;
const sayAgainMs = 10_000;

/**
 * Retries work until it succeeds, for a minute at most in all, because the database may start at the same time as the
 * service, or lose its primary meanwhile; says every ten seconds why it waits. Work that ran for longer than that, such as
 * the build of an index, had its database: the minute begins again after it.
 */
export function createPatience(deps: { clock?: Clock; logger: Logger }) {
  const { clock = () => performance.now(), logger } = deps;
  let givingUpAt = clock() + patienceMs;
  let saidAt = Number.NEGATIVE_INFINITY;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      const begunAt = clock();
      try {
        return await work();
      } catch (error) {
        const now = clock();
        if (now - begunAt > patienceMs) givingUpAt = now + patienceMs;
        if (!isMongoUnavailable(error) || now > givingUpAt) throw error;
        if (now - saidAt >= sayAgainMs) {
          logger.warn({}, `waiting for the database: ${error instanceof Error ? error.message : error}`);
          saidAt = now;
        }
        await delay(retryMs);
      }
    }
  };
}
