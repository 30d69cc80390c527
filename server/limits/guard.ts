import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IBackoff,
  type IBackoffFactory,
} from 'cockatiel';
import type { Clock, Logger } from '../ports.js';
import { withTimeout } from '../timing.js';

const retryAfterMs = 2_000;
const failuresToOpen = 3;

/** Protects the limiter from a database that does not answer. */
export interface Guard {
  /** Does work with the database under a time limit, and rejects at once for a while after it has failed repeatedly. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the last work failed. */
  isFailing(): boolean;
  /** For how long all work has failed; 0 if it does not. An answer that comes too late is an answer, too. */
  failingForMs(): number;
}

export function createGuard(deps: { timeoutMs: () => number; stopwatch: Clock; logger: Logger }): Guard {
  const { stopwatch, logger } = deps;
  let isFailing = false;
  let failingSince: number | undefined;
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: monotonicDelay(retryAfterMs, stopwatch),
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  breaker.onBreak(() =>
    logger.warn({}, 'the database does not answer: this instance grants only what it is sure of'),
  );
  breaker.onReset(() => logger.info({}, 'the database answers again: rate limits are drawn from it'));

  async function answered<T>(work: () => Promise<T>): Promise<T> {
    const result = await work();
    failingSince = undefined;
    return result;
  }

  return {
    async run(work) {
      const timeoutMs = deps.timeoutMs();
      const late = () => new Error(`the rate-limit store did not answer in ${timeoutMs} ms`);
      try {
        const result = await breaker.execute(() => withTimeout(timeoutMs, answered(work), late));
        isFailing = false;
        return result;
      } catch (error) {
        isFailing = true;
        failingSince ??= stopwatch();
        throw error;
      }
    },
    isFailing: () => isFailing || breaker.state !== CircuitState.Closed,
    failingForMs: () => (failingSince === undefined ? 0 : stopwatch() - failingSince),
  };
}

/**
 * cockatiel measures its delay by the clock of this machine, and would wait for hours if that is set back meanwhile. So
 * this reports the delay as endless until it is over by monotonic time.
 */
function monotonicDelay(delayMs: number, stopwatch: Clock): IBackoffFactory<unknown> {
  const next = (): IBackoff<unknown> => {
    const overAt = stopwatch() + delayMs;
    return {
      get duration() {
        return stopwatch() < overAt ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
      next,
    };
  };
  return { next };
}
