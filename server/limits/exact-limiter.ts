import { type Connection, Types } from 'mongoose';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock } from '../ports.js';
import { createDraws } from './draws.js';
import { takeFrom } from './held-window.rules.js';
import { createHeldWindows } from './held-windows.js';
import { PortionRateLimiter } from './portion-rate-limiter.js';
import type { RateLimiter } from './rate-limiter.js';
import { createWindowStore } from './window-store.js';

/** How many keys are remembered at most. A refusal of one that is remembered needs no database. */
const maxKeys = 50_000;

/**
 * A limiter that draws every point when it is needed, and fails if the database does not answer. It is for windows so
 * long that clients should not have to wait for the points that a killed instance had drawn ahead.
 */
export function createExactLimiter(deps: {
  connection: Connection;
  clock: Clock;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): Pick<RateLimiter, 'consume'> {
  const { clock, stopwatch = () => performance.now() } = deps;
  const store = createWindowStore({
    connection: deps.connection,
    instance: new Types.ObjectId().toHexString(),
  });
  const windows = createHeldWindows({ stopwatch, onUninsured: () => undefined, max: maxKeys });
  const draw = createDraws({
    send: (draws) => store.draw(draws, { ahead: false, instances: 1 }),
    // The connection has a time limit of its own.
    guard: (work) => work(),
    onDrawn: windows.addDrawn,
    stopwatch,
  });
  const limiters = new Map<RateLimitClass, PortionRateLimiter>();

  return {
    async consume(rule, key) {
      const held = windows.get(key);
      const state = held === undefined ? undefined : takeFrom(held, stopwatch());
      if (state !== undefined) return state;
      let limiter = limiters.get(rule);
      if (limiter === undefined) {
        limiter = new PortionRateLimiter(rule, {
          windows,
          draw,
          clock,
          stopwatch,
          standing: () => ({ instances: 1, isOutage: false }),
          insured: false,
        });
        limiters.set(rule, limiter);
      }
      return limiter.takeOrDraw(key);
    },
  };
}
