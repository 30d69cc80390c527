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

/** Of one database operation, where this instance can go on without it, and where it could only answer 503. */
const timeoutsMs = { alone: 150, amongOthers: 1_000 } as const;
/** For so long no instance is slow. A database that has not answered this one until then is away for the others, too. */
const outageMs = 5_000;
/** Every instance draws nothing from this key, so that its window tells how many instances there are. */
const presence = { key: 'instances', limit: 0, windowMs: 30_000, waiting: 0 } as const;

/** What is counted, for whoever asks often: it remembers the window that was found last. A key belongs to one rule. */
export interface CountedKey {
  readonly rule: RateLimitClass;
  readonly key: string;
  held?: HeldWindow | undefined;
}

export interface RateLimiter {
  /**
   * Takes a point from what this instance holds, or refuses from memory. Undefined where the database has to be asked;
   * then nothing was taken. Synchronous and cheap.
   */
  take(counted: CountedKey): RateLimitState | undefined;
  /**
   * Takes one point from `key`, of what this instance holds, or else of a new draw from MongoDB. While that does not
   * answer in time, it takes points of which it is sure that no other instance grants them, and throws
   * LimitUnknownError where there are none.
   */
  consume(rule: RateLimitClass, key: string): Promise<RateLimitState>;
  /** What is left to `key` as far as this process knows. Takes no point, and asks no database. */
  peek(rule: RateLimitClass, key: string): RateLimitState;
  /** Whether the shared windows could not be reached when they were last needed. */
  degraded(): boolean;
}

/** The limiter of one instance, with what has to be done for it beside requests. */
export interface RunningRateLimiter extends RateLimiter {
  /** Counts the instances, and gives back what keys at rest hold. Every few seconds. */
  upkeep(): Promise<void>;
  /** Gives everything back. */
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
  maxKeys?: number;
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
  });
  const limiters = new Map<RateLimitClass, PortionRateLimiter>();
  /** That share the limits, this one included; undefined until the database has said. */
  let instances: number | undefined;

  const windows = createHeldWindows({
    stopwatch,
    onUninsured: (key, rule) => limiterOf(rule).forget(key),
    ...(deps.maxKeys === undefined ? {} : { max: deps.maxKeys }),
  });
  const draw = createDraws({
    async send(draws) {
      // New keys make others give way. Their points go back before more are drawn, so a flood cannot outrun that.
      await store.giveBack(windows.takeDropped());
      return store.draw(draws, { ahead: true, instances });
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

  function take(counted: CountedKey): RateLimitState | undefined {
    const now = stopwatch();
    // A window that is no longer held has no points left, so it grants nothing here.
    const state = counted.held && takeFrom(counted.held, now);
    if (state !== undefined) return state;
    counted.held = windows.get(counted.key);
    return counted.held && takeFrom(counted.held, now);
  }

  async function countInstances(): Promise<void> {
    await guard.run(async () => {
      const drawn = await store.draw([presence], { ahead: false, instances: 1 });
      const before = instances;
      instances = drawn.get(presence.key)?.instances ?? instances;
      // While it was alone it drew whole windows, and the others must not find them used up.
      if (before === 1 && instances !== 1) await store.giveBack(windows.takeUnused('all'));
    });
  }

  /** What was granted without the database comes off what the others may draw. */
  async function charge(): Promise<void> {
    const charges = windows.uncharged();
    await store.charge(charges);
    windows.markCharged(charges.map(({ key }) => key));
  }

  return {
    take,
    consume: async (rule, key) => take({ rule, key }) ?? limiterOf(rule).takeOrDraw(key),
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
        // The guard has logged it, and there is nobody to give anything back to.
        return;
      }
      await charge();
      await store.giveBack(windows.takeUnused('resting'));
    },
    async stop() {
      if (guard.isFailing()) return;
      await charge();
      await store.giveBack(windows.takeUnused('all'));
      await store.leave(presence.key);
    },
  };
}
