import { type Connection, Types } from 'mongoose';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, Logger, RateLimitState } from '../ports.js';
import { createDraws } from './draws.js';
import { createGuard } from './guard.js';
import { type HeldWindow, takeFrom } from './held-window.rules.js';
import { createHeldWindows } from './held-windows.js';
import { PortionRateLimiter } from './portion-rate-limiter.js';
import { isUsedUp, refusedState, stateOf } from './remaining.rules.js';
import { createWindowStore } from './window-store.js';

/** Time limits of one database operation: where this instance can go on without it, and where it could only answer 503. */
const timeoutsMs = { alone: 150, amongOthers: 1_000 } as const;
/** No instance is slow for this long: a database that has not answered until then is unavailable to the others, too. */
const outageMs = 5_000;
/** Every instance draws 0 points from this key, so that its window tells how many instances there are. */
const presence = { key: 'instances', limit: 0, windowMs: 30_000, waiting: 0 } as const;

export interface RateLimiter {
  /**
   * The window of `key` that this instance holds, for callers that take its points by `takeFrom` themselves, at a time by
   * the limiter's stopwatch. One that is no longer held has no points left.
   */
  held(key: string): HeldWindow | undefined;
  /**
   * Takes one point from `key`: one that this instance holds, or else one of a new draw from MongoDB. If MongoDB does
   * not answer in time, it takes only points that no other instance can grant, and throws LimitUnknownError if there
   * are none.
   */
  consume(rule: RateLimitClass, key: string): Promise<RateLimitState>;
  /** The rest of the limit of `key`, as far as this process knows. Takes no point, and asks no database. */
  peek(rule: RateLimitClass, key: string): RateLimitState;
  /** Whether the shared windows could not be reached when they were last needed. */
  degraded(): boolean;
}

/** The limiter of one instance, with its work beside requests. */
export interface RunningRateLimiter extends RateLimiter {
  /** Counts the instances, and gives back the points of resting keys. Call it every few seconds. */
  upkeep(): Promise<void>;
  /** Gives all unused points back. */
  stop(): Promise<void>;
}

export function createRateLimiter(deps: {
  connection: Connection;
  clock: Clock;
  logger: Logger;
  /** Time limit of one database operation, however many instances there are. */
  timeoutMs?: number;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
  /** How many keys are held at most. */
  maxKeys: number;
}): RunningRateLimiter {
  const { clock, stopwatch = () => performance.now() } = deps;
  const guard = createGuard({
    timeoutMs: () => deps.timeoutMs ?? (instances === 1 ? timeoutsMs.alone : timeoutsMs.amongOthers),
    stopwatch,
    logger: deps.logger,
  });
  const store = createWindowStore({
    connection: deps.connection,
    instance: new Types.ObjectId().toHexString(),
    stopwatch,
  });
  const limiters = new Map<RateLimitClass, PortionRateLimiter>();
  /** How many instances share the limits, this one included; undefined until the database has said. */
  let instances: number | undefined;

  const windows = createHeldWindows({
    stopwatch,
    onUninsured: (key, rule) => limiterOf(rule).forget(key),
    max: deps.maxKeys,
  });
  const draw = createDraws({
    async send(draws) {
      // New keys evict others, whose points go back before more are drawn, so that a flood cannot outrun that.
      await store.giveBack(windows.takeDropped());
      const asked = draws.map((each) => ({ ...each, probablyNew: windows.get(each.key) === undefined }));
      return store.draw(asked, { ahead: true, instances });
    },
    guard: guard.run,
    onDrawn: windows.addDrawn,
    stopwatch,
  });

  const standing = () => ({ instances: instances ?? 2, isOutage: guard.failingForMs() >= outageMs });

  function limiterOf(rule: RateLimitClass): PortionRateLimiter {
    let limiter = limiters.get(rule);
    if (limiter === undefined) {
      const shared = { windows, draw, clock, stopwatch, standing };
      limiter = new PortionRateLimiter(rule, { ...shared, insured: true });
      limiters.set(rule, limiter);
    }
    return limiter;
  }

  function take(key: string): RateLimitState | undefined {
    const held = windows.get(key);
    return held && takeFrom(held, stopwatch());
  }

  async function countInstances(): Promise<void> {
    await guard.run(async () => {
      // MongoDB may remove the document before an instance draws again; the new one then begins with the last known count.
      const drawn = await store.draw([presence], { ahead: false, instances: instances ?? 1 });
      const before = instances;
      instances = drawn.get(presence.key)?.instances ?? instances;
      // While this instance was alone it drew whole windows, and the others must not find them used up.
      if (before === 1 && instances !== 1) await store.giveBack(windows.takeUnused('all'));
    });
  }

  /** Subtracts what was granted without the database from what the others may draw. */
  async function charge(): Promise<void> {
    const charges = windows.uncharged();
    await store.charge(charges);
    windows.markCharged(charges.map(({ key }) => key));
  }

  return {
    held: windows.get,
    consume: async (rule, key) => take(key) ?? limiterOf(rule).takeOrDraw(key),
    peek(rule, key) {
      const held = windows.running(key);
      if (held === undefined) {
        const endsAtMs = clock() + rule.windowSeconds * 1_000;
        return {
          limit: rule.points,
          remaining: rule.points,
          resetSeconds: Math.ceil(endsAtMs / 1_000),
          retryAfterSeconds: undefined,
        };
      }
      const isRefused = held.insured === undefined ? isUsedUp(held) : held.remaining === 0;
      return isRefused ? refusedState(held, stopwatch()) : stateOf(held, undefined);
    },
    degraded: guard.isFailing,
    async upkeep() {
      try {
        await countInstances();
      } catch {
        // The guard has logged the error, and the database can take nothing back now.
        return;
      }
      await charge();
      await store.giveBack(windows.takeUnused('resting'));
    },
    async stop() {
      if (guard.isFailing()) return;
      await charge();
      await store.giveBack(windows.takeUnused('all'));
      // An instance that was never counted, such as a migration, must not be subtracted.
      if (instances !== undefined) await store.leave(presence.key);
    },
  };
}
