import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IBackoff,
  type IBackoffFactory,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, Logger, RateLimitState } from '../ports.js';
import { withTimeout } from '../time-limits.js';
import { type Counted, createCountPoint } from './limit-window-store.js';

const storeTimeoutMs = 150;
const retryStoreAfterMs = 2_000;
const failuresToOpen = 3;
const localKeys = 50_000;
/** A window that this process began by itself and the stored one end at slightly different times. */
const windowToleranceMs = 1_000;

export interface RateLimiter {
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

/**
 * The last known count of each key in this process. It follows the shared counters, so that a slow answer of the
 * database neither returns points to a client nor takes any away.
 */
function createLocalCounter(clock: Clock) {
  const windows = new LRUCache<string, { used: number; endsAt: number }>({ max: localKeys });

  function count(
    rule: RateLimitClass,
    key: string,
    shared: { used: number; endsAt: number },
  ): RateLimitState {
    const now = clock();
    const known = windows.get(key);
    const sameWindow = known !== undefined && Math.abs(known.endsAt - shared.endsAt) < windowToleranceMs;
    const used = sameWindow ? Math.max(known.used + 1, shared.used) : shared.used;
    windows.set(key, { used, endsAt: shared.endsAt });
    return toState(rule, used, shared.endsAt, now);
  }

  return {
    /** Windows are fixed: a client that has used one up is refused until its end, without asking the database. */
    refusal(rule: RateLimitClass, key: string): RateLimitState | undefined {
      const known = windows.get(key);
      const now = clock();
      const refused = known !== undefined && known.used > rule.points && known.endsAt > now;
      return refused ? toState(rule, known.used, known.endsAt, now) : undefined;
    },
    peek(rule: RateLimitClass, key: string): RateLimitState {
      const known = windows.get(key);
      const now = clock();
      const isRunning = known !== undefined && known.endsAt > now;
      return toState(
        rule,
        isRunning ? known.used : 0,
        isRunning ? known.endsAt : now + rule.windowSeconds * 1_000,
        now,
      );
    },
    agree: (rule: RateLimitClass, key: string, used: number, endsAt: number) =>
      count(rule, key, { used, endsAt }),
    consume(rule: RateLimitClass, key: string) {
      const now = clock();
      const known = windows.get(key);
      const endsAt =
        known !== undefined && known.endsAt > now ? known.endsAt : now + rule.windowSeconds * 1_000;
      return count(rule, key, { used: 1, endsAt });
    },
  };
}

function toState(rule: RateLimitClass, used: number, endsAt: number, now: number): RateLimitState {
  return {
    limit: rule.points,
    remaining: Math.max(0, rule.points - used),
    resetSeconds: Math.ceil(endsAt / 1000),
    retryAfterSeconds: used > rule.points ? Math.max(1, Math.ceil((endsAt - now) / 1000)) : undefined,
  };
}
