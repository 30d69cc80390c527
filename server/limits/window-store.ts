import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { type Connection, Schema } from 'mongoose';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import { isMongoUnavailable } from '../mongo/failures.js';
import { defineModel } from '../mongo/models.js';
import type { Logger } from '../ports.js';
import type { DrawAnswer } from './held-window.rules.js';

/** The window of one key, as RateLimiterMongo stores it. */
interface LimitWindow {
  key: string;
  /** Points that instances have drawn, and those that refused draws asked for. */
  points: number;
  expire: Date;
}

const limitWindowSchema = new Schema<LimitWindow>(
  {
    key: { type: String, required: true },
    points: { type: Number, required: true },
    expire: { type: Date, required: true },
  },
  { collection: 'limit_windows', versionKey: false },
);
limitWindowSchema.index({ key: 1 }, { unique: true, name: 'key' });
limitWindowSchema.index({ expire: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function limitWindowModel(connection: Connection) {
  return defineModel(connection, 'LimitWindow', limitWindowSchema);
}

const failuresToOpen = 3;
const retryAfterMs = 5_000;

/** Who counts the points of a key: all instances together, or this one alone. */
export function createWindowStore(deps: {
  connection: Connection;
  /** RateLimiterMongo judges by the machine's clock whether a window has ended. */
  clockIsOff: () => boolean;
  logger: Logger;
}) {
  const { connection, clockIsOff, logger } = deps;
  const { name: tableName } = limitWindowModel(connection).collection;
  const shared = byClass(
    (limit) =>
      new RateLimiterMongo({
        ...limit,
        storeClient: connection.getClient(),
        dbName: connection.name,
        tableName,
        disableIndexesCreation: true,
      }),
  );
  const own = byClass((limit) => new RateLimiterMemory(limit));

  const breaker = circuitBreaker(handleWhen(isMongoUnavailable), {
    halfOpenAfter: retryAfterMs,
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  breaker.onBreak(() =>
    logger.warn({}, 'the database does not answer: this instance counts the limits of its clients by itself'),
  );
  breaker.onReset(() =>
    logger.info({}, 'the database answers again: limits are shared with other instances'),
  );

  return {
    /** Draws from the window that all instances share. Undefined while MongoDB is away or the clock is wrong. */
    async draw(rule: RateLimitClass, key: string, portion: number): Promise<DrawAnswer | undefined> {
      if (clockIsOff()) return undefined;
      try {
        return await breaker.execute(() => answerOf(() => shared(rule).consume(key, portion)));
      } catch (error) {
        if (error instanceof BrokenCircuitError || isMongoUnavailable(error)) return undefined;
        throw error;
      }
    },
    /** Takes a point of the further limit that this instance grants meanwhile. */
    takeAlone: (rule: RateLimitClass, key: string) => answerOf(() => own(rule).consume(key)),
    isAlone: () => breaker.state !== CircuitState.Closed || clockIsOff(),
  };
}

interface Limit {
  points: number;
  duration: number;
  keyPrefix: string;
}

/** The library has a limiter for each limit. Our keys differ between classes, so that they need no prefix. */
function byClass<Limiter>(create: (limit: Limit) => Limiter): (rule: RateLimitClass) => Limiter {
  const limiters = new Map<RateLimitClass, Limiter>();
  return (rule) => {
    const known = limiters.get(rule);
    if (known !== undefined) return known;
    const limiter = create({ points: rule.points, duration: rule.windowSeconds, keyPrefix: '' });
    limiters.set(rule, limiter);
    return limiter;
  };
}

/** The library rejects with its answer where the limit refuses. */
async function answerOf(consume: () => Promise<RateLimiterRes>): Promise<DrawAnswer> {
  try {
    return await consume();
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}
