// Quicker than the global of this name, which is looked up by a getter.
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, Logger, RateLimitState } from '../ports.js';
import {
  drawnWindow,
  type HeldWindow,
  portionOf,
  shownOf,
  singleState,
  takeFrom,
} from './held-window.rules.js';
import { createWindowStore } from './window-store.js';

/** The points that are held of a window that gives way to another are lost until it ends. */
const usualMaxWindows = 50_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export function createRateLimiter(deps: {
  connection: Connection;
  /** Whether the clock of this machine is too far from MongoDB's for windows to be shared. */
  clockIsOff: () => boolean;
  clock: Clock;
  logger: Logger;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
  /** How many windows are held at most. */
  maxWindows?: number;
}) {
  const { clock, stopwatch = () => performance.now(), maxWindows = usualMaxWindows } = deps;
  const store = createWindowStore(deps);
  /** `max` would take the memory for all of them at once. */
  const windows = new LRUCache<string, HeldWindow>({ maxSize: maxWindows, sizeCalculation: () => 1 });
  /** The draws under way: one of each key. They resolve to whether MongoDB answered. */
  const draws = new Map<string, Promise<boolean>>();

  const instant = () => ({ now: stopwatch(), nowMs: clock() });

  function running(key: string, now: number): HeldWindow | undefined {
    const window = windows.peek(key);
    return window !== undefined && now < window.endsAt ? window : undefined;
  }

  async function draw(rule: RateLimitClass, key: string): Promise<boolean> {
    const portion = portionOf(rule, running(key, stopwatch())?.portion);
    const answer = await store.draw(rule, key, portion);
    if (answer !== undefined) windows.set(key, drawnWindow(rule, portion, answer, instant()));
    return answer !== undefined;
  }

  function drawOnce(rule: RateLimitClass, key: string): Promise<boolean> {
    let underWay = draws.get(key);
    if (underWay === undefined) {
      underWay = draw(rule, key).finally(() => draws.delete(key));
      draws.set(key, underWay);
    }
    return underWay;
  }

  /** Every request does this, and `peek` is quicker than `get`: the windows drawn longest ago give way first. */
  function takeHeld(rule: RateLimitClass, key: string): RateLimitState | undefined {
    const window = windows.peek(key);
    return window && takeFrom(window, rule, stopwatch());
  }

  /** Others may have used the points of a draw that several requests waited for: then the next one is awaited. */
  async function takeDrawn(rule: RateLimitClass, key: string): Promise<RateLimitState> {
    while (await drawOnce(rule, key)) {
      const state = takeHeld(rule, key);
      if (state !== undefined) return state;
    }
    return singleState(rule, await store.takeAlone(rule, key), instant());
  }

  return {
    /**
     * Takes one point of `key`, or refuses (`retryAfterSeconds`). Answers at once from what this instance holds of the
     * window; otherwise a portion is drawn from MongoDB first, or, while that is away, the instance counts by itself.
     */
    take: (rule: RateLimitClass, key: string): RateLimitState | Promise<RateLimitState> =>
      takeHeld(rule, key) ?? takeDrawn(rule, key),
    /** What is left of the limit of `key`, as far as this instance knows. Takes no point, and asks no database. */
    peek(rule: RateLimitClass, key: string): RateLimitState {
      const { now, nowMs } = instant();
      const window = running(key, now);
      if (window !== undefined) return shownOf(window, rule, now);
      const { points, windowSeconds } = rule;
      const resetSeconds = Math.ceil(nowMs / 1_000) + windowSeconds;
      return { limit: points, remaining: points, resetSeconds, retryAfterSeconds: undefined };
    },
    /** Whether this instance counts by itself, so that it may grant a further limit. */
    isAlone: store.isAlone,
  };
}
