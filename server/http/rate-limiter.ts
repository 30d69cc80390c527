import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, Logger, RateLimitState } from '../ports.js';
import { withTimeout } from '../time-limits.js';
import { createCountPoint } from './limit-window-store.js';

const storeTimeoutMs = 150;
const retryStoreAfterMs = 2_000;
const failuresToOpen = 3;
const localKeys = 50_000;
/** The end of a window, computed from two answers, differs by the time that the answers took. */
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
}): RateLimiter {
  const { timeoutMs = storeTimeoutMs } = deps;
  const stores = new Map<string, RateLimiterMongo>();
  const local = createLocalCounter(deps.clock);
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: retryStoreAfterMs,
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

  function storeOf(rule: RateLimitClass): RateLimiterMongo {
    const name = `${rule.points}/${rule.windowSeconds}`;
    let store = stores.get(name);
    if (store === undefined) {
      store = new RateLimiterMongo({
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
    const result = await consumeStored(rule, key);
    return local.agree(rule, key, result.consumedPoints, deps.clock() + result.msBeforeNext);
  }

  async function consumeStored(rule: RateLimitClass, key: string): Promise<RateLimiterRes> {
    try {
      return await storeOf(rule).consume(key);
    } catch (denial) {
      // A refusal is an answer, not a failure.
      if (denial instanceof RateLimiterRes) return denial;
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

/**
 * Stands in for the MongoDB client that rate-limiter-flexible expects. It takes a point by this one method of a
 * collection, which is where requests join a batch; docs/adr/0005 has the alternatives.
 */
function asStoreClient(countPoint: (key: string) => Promise<{ points: number; expire: Date }>) {
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
