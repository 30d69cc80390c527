import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IBackoff,
  type IBackoffFactory,
} from 'cockatiel';
import type { Connection } from 'mongoose';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, Logger, RateLimitState } from '../ports.js';
import { withTimeout } from '../time-limits.js';
import { createLocalCounter } from './local-limit-windows.js';
import { type Counted, createCountPoint } from './window-store.js';

const storeTimeoutMs = 150;
const retryStoreAfterMs = 2_000;
const failuresToOpen = 3;

export interface RateLimiter {
  /**
   * Takes a point from what this instance holds, or refuses from memory. Undefined where the database has to be asked;
   * then nothing was taken. Synchronous and cheap.
   */
  take(rule: RateLimitClass, key: string): RateLimitState | undefined;
  /**
   * Takes one point from `key`. Counts in MongoDB, for all instances together; while that does not answer within
   * 150 ms, counts in a bounded table of this process instead.
   */
  consume(rule: RateLimitClass, key: string): Promise<RateLimitState>;
  /** What is left to `key` as far as this process knows. Takes no point, and asks no database. */
  peek(rule: RateLimitClass, key: string): RateLimitState;
  /** Whether the shared counters cannot be reached. */
  degraded(): boolean;
}

export function createRateLimiter(deps: {
  connection: Connection;
  clock: Clock;
  logger: Logger;
  /** Time limit of one database operation. */
  timeoutMs?: number;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): RateLimiter {
  const { timeoutMs = storeTimeoutMs, stopwatch = () => performance.now() } = deps;
  const stores = new Map<string, StoredWindows>();
  const local = createLocalCounter(deps.clock);
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: monotonicDelay(retryStoreAfterMs, stopwatch),
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  breaker.onBreak(() =>
    deps.logger.warn({}, 'rate limits are counted in this process: the database does not answer'),
  );
  breaker.onReset(() => deps.logger.info({}, 'rate limits are counted in the database again'));

  const late = () => new Error(`the rate-limit store did not answer in ${timeoutMs} ms`);
  const countPoint = createCountPoint({
    connection: deps.connection,
    guard: (work) => breaker.execute(() => withTimeout(timeoutMs, work(), late)),
  });

  function storeOf(rule: RateLimitClass): StoredWindows {
    const name = `${rule.points}/${rule.windowSeconds}`;
    let store = stores.get(name);
    if (store === undefined) {
      store = new StoredWindows({
        storeClient: asStoreClient((key) => countPoint(key, rule.windowSeconds * 1_000)),
        dbName: deps.connection.name,
        keyPrefix: '',
        points: rule.points,
        duration: rule.windowSeconds,
        disableIndexesCreation: true,
      });
      stores.set(name, store);
    }
    return store;
  }

  async function consumeShared(rule: RateLimitClass, key: string): Promise<RateLimitState> {
    const { consumedPoints, endsAt } = await consumeStored(rule, key);
    return local.agree(rule, key, consumedPoints, endsAt);
  }

  async function consumeStored(rule: RateLimitClass, key: string): Promise<StoredWindow> {
    try {
      return (await storeOf(rule).consume(key)) as StoredWindow;
    } catch (denial) {
      // A refusal is an answer, not a failure.
      if (denial instanceof StoredWindow) return denial;
      throw denial;
    }
  }

  return {
    take: local.refusal,
    async consume(rule, key) {
      const refusal = local.refusal(rule, key);
      if (refusal !== undefined) return refusal;
      try {
        return await consumeShared(rule, key);
      } catch {
        // The breaker has counted and logged the failure; limits must hold whatever it was.
        return local.consume(rule, key);
      }
    },
    peek: (rule, key) => local.peek(rule, key),
    degraded: () => breaker.state !== CircuitState.Closed,
  };
}

/** What the library answers, with the end of the window as it is stored. */
class StoredWindow extends RateLimiterRes {
  constructor(
    readonly endsAt: number,
    limit: number,
    points: number,
  ) {
    super(Math.max(0, limit - points), undefined, points, points === 1);
  }
}

/**
 * The library would tell the end of a window as the time left by the clock of this machine, which may be wrong. Its
 * method for a store's answer, which its own stores override as well, is missing in its types.
 */
class StoredWindows extends RateLimiterMongo {
  _getRateLimiterRes(_key: string, _changedPoints: number, counted: Counted): StoredWindow {
    return new StoredWindow(counted.expire.getTime(), this.points, counted.points);
  }
}

/**
 * cockatiel measures its delay by the clock of this machine, and would wait for hours where that is set back meanwhile:
 * it is told that the delay is endless, or over.
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

/**
 * Stands in for the MongoDB client that rate-limiter-flexible expects. It takes a point by this one method of a
 * collection, which is where requests join a batch; docs/adr/0005 has the alternatives.
 */
function asStoreClient(countPoint: (key: string) => Promise<Counted>) {
  return { collection: () => ({ findOneAndUpdate: (where: { key: string }) => countPoint(where.key) }) };
}
