import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, RateLimitState } from '../ports.js';
import type { DrawPoints } from './draws.js';
import { insurable, insuredWindow, takeFrom } from './held-window.rules.js';
import type { HeldWindows } from './held-windows.js';
import { LimitUnknownError } from './limit-unknown.js';
import { RateLimiterMemory, RateLimiterRes, RateLimiterStoreAbstract } from './rate-limiter-flexible.js';
import { stateOf } from './remaining.rules.js';

/** A window may end while a request waits for its draw, but hardly twice. */
const maxDrawsOfRequest = 5;

/** The library's form of a store's answer; the library rejects if more points are consumed than there are. */
class PortionRes extends RateLimiterRes {
  constructor(readonly state: RateLimitState) {
    const { limit, remaining, retryAfterSeconds = 0 } = state;
    super(remaining, retryAfterSeconds * 1_000, retryAfterSeconds > 0 ? limit + 1 : limit - remaining);
  }
}

/** The request is neither granted nor refused. Any other error would make the library use the insurance. */
class UnknownRes extends RateLimiterRes {}

/**
 * A limiter of rate-limiter-flexible whose store is MongoDB, drawn from in portions: a request takes a point that this
 * instance holds, and the database is asked only if that does not decide. Its insurance is the library's limiter in
 * memory, which counts while the database does not answer.
 */
export class PortionRateLimiter extends RateLimiterStoreAbstract {
  readonly #rule: RateLimitClass;
  readonly #deps: PortionRateLimiterDeps;
  readonly #insurance: RateLimiterMemory | undefined;

  constructor(rule: RateLimitClass, deps: PortionRateLimiterDeps) {
    const { points } = rule;
    // Without a duration the insurance needs no clock and no timer: a window ends when it is no longer held.
    const insurance = deps.insured
      ? new RateLimiterMemory({ points, duration: 0, keyPrefix: '' })
      : undefined;
    super({
      storeClient: undefined,
      keyPrefix: '',
      points,
      duration: rule.windowSeconds,
      ...(insurance === undefined ? {} : { insuranceLimiter: insurance }),
    });
    this.#rule = rule;
    this.#deps = deps;
    this.#insurance = insurance;
  }

  /** Takes a point. Throws LimitUnknownError if the point can neither be granted nor refused. */
  async takeOrDraw(key: string): Promise<RateLimitState> {
    try {
      return this.#stateAfter(key, await this.consume(key));
    } catch (denial) {
      // A refusal is an answer, not a failure.
      if (denial instanceof RateLimiterRes) return this.#stateAfter(key, denial);
      throw denial;
    }
  }

  /** Removes the key from the insurance. */
  async forget(key: string): Promise<void> {
    await this.#insurance?.delete(key);
  }

  /** Called by the library to take a point in the store. */
  async _upsert(key: string): Promise<RateLimitState> {
    const { windows, draw, stopwatch } = this.#deps;
    try {
      for (let draws = 0; ; draws += 1) {
        const held = windows.get(key);
        const state = held === undefined ? undefined : takeFrom(held, stopwatch());
        if (state !== undefined) return state;
        if (windows.running(key)?.insured !== undefined) throw new Error('the insurance counts this key');
        if (draws === maxDrawsOfRequest) throw new Error('the window ended while it was drawn from');
        await draw(key, this.#rule);
      }
    } catch (error) {
      if (this.#insurance !== undefined && !(await this.#insure(key, this.#insurance)))
        throw new UnknownRes();
      throw error;
    }
  }

  /** Called by the library with what `_upsert` resolved to. */
  _getRateLimiterRes(_key: string, _points: number, state: RateLimitState): RateLimiterRes {
    return new PortionRes(state);
  }

  override get(): Promise<never> {
    return unsupported();
  }
  override set(): Promise<never> {
    return unsupported();
  }
  override delete(): Promise<never> {
    return unsupported();
  }
  override block(): Promise<never> {
    return unsupported();
  }
  override penalty(): Promise<never> {
    return unsupported();
  }
  override reward(): Promise<never> {
    return unsupported();
  }

  /** Lets the insurance count the key, if it does not yet; false if it must not. */
  async #insure(key: string, insurance: RateLimiterMemory): Promise<boolean> {
    const { windows, standing, clock, stopwatch } = this.#deps;
    const held = windows.running(key);
    if (held?.insured !== undefined) return true;
    const points = insurable(held, this.#rule, standing());
    if (points === undefined) return false;
    windows.insure(key, insuredWindow(held, this.#rule, { points, now: stopwatch(), nowMs: clock() }));
    // With a duration of 0 the count stays until it is deleted.
    await insurance.set(key, this.#rule.points - points, 0);
    return true;
  }

  #stateAfter(key: string, res: RateLimiterRes): RateLimitState {
    if (res instanceof PortionRes) return res.state;
    const { windows, stopwatch, clock } = this.#deps;
    const now = stopwatch();
    const window =
      windows.running(key) ?? insuredWindow(undefined, this.#rule, { points: 0, now, nowMs: clock() });
    if (res instanceof UnknownRes)
      throw new LimitUnknownError(stateOf({ ...window, remaining: 0 }, undefined));
    window.remaining = Math.min(window.remaining, res.remainingPoints);
    const isRefused = res.consumedPoints > this.#rule.points;
    const waitMs = window.overBy - now;
    return stateOf(window, isRefused ? Math.max(1, Math.ceil(waitMs / 1_000)) : undefined);
  }
}

export interface PortionRateLimiterDeps {
  windows: HeldWindows;
  draw: DrawPoints;
  /** Whether to count in memory while the database does not answer. */
  insured: boolean;
  /** How many instances share the limits, this one included, and whether the database is away for all of them. */
  standing: () => { instances: number; isOutage: boolean };
  clock: Clock;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
}

function unsupported(): Promise<never> {
  return Promise.reject(new Error('This limiter takes one point at a time and does nothing else.'));
}
