import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhenResult,
  noJitterGenerator,
} from 'cockatiel';
import type { Clock } from '../ports.js';

const openAfterFailures = 5;
const openMs = { initialDelay: 10_000, maxDelay: 120_000, generator: noJitterGenerator };

/**
 * The circuit breaker of a service that others run. It opens after five failures in a row, for 10 s at first and two
 * minutes at most; then one call tries the service, for which the others wait. An error that the call throws is ours,
 * and counts as no failure.
 */
export function createBreaker<T>(isFailure: (result: T) => boolean) {
  const policy = circuitBreaker(
    handleWhenResult((result) => isFailure(result as T)),
    { breaker: new ConsecutiveBreaker(openAfterFailures), halfOpenAfter: new ExponentialBackoff(openMs) },
  );
  return {
    /** The result of the call, which is not made while the breaker is open. */
    async run(call: () => Promise<T>): Promise<T | 'open'> {
      try {
        return await policy.execute(call);
      } catch (error) {
        if (error instanceof BrokenCircuitError) return 'open';
        throw error;
      }
    },
  };
}

const secondMs = 1_000;

/** Bounds the calls within any one second. Windows that begin anew would let twice as many pass around their edges. */
export function createCallBudget(clock: Clock) {
  let startedAt: number[] = [];
  return {
    /** Takes one call, if fewer than this many were made within the last second. */
    take(callsPerSecond: number): boolean {
      const now = clock();
      // A time ahead was taken before the clock was set back.
      startedAt = startedAt.filter((at) => Math.abs(now - at) < secondMs);
      if (startedAt.length >= callsPerSecond) return false;
      startedAt.push(now);
      return true;
    },
  };
}
