import pLimit from 'p-limit';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';

/** Runs few at once, in order of arrival. Throws NOT_READY where too many wait, or where it was waited too long. */
export type FewAtOnce = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Keeps a flood of one operation from taking the event loop from all others: what waits here costs nothing, and while
 * those at work wait for the database there is room for reads.
 */
export function createFewAtOnce(options: {
  atOnce: number;
  maxWaiting: number;
  maxWaitMs: number;
  clock: Clock;
}): FewAtOnce {
  const { atOnce, maxWaiting, maxWaitMs, clock } = options;
  const limit = pLimit(atOnce);

  return async (work) => {
    if (limit.pendingCount >= maxWaiting) throw tooMany();
    const sinceMs = clock();
    return limit(() => {
      if (clock() - sinceMs > maxWaitMs) throw tooMany();
      return work();
    });
  };
}

function tooMany(): ApiError {
  return new ApiError('NOT_READY', 'Too many disputes wait to be looked at; try again shortly.', {
    retryAfter: 1,
  });
}
