import type { RateLimitClass } from '../../contract/rate-limits.js';

/** The part of a held window (held-window.rules.ts) that makes up the limit a client is told. */
interface ToldWindow {
  readonly rule: RateLimitClass;
  readonly left: number;
  readonly used: number;
  remaining: number;
  readonly resetSeconds: number;
  readonly overBy: number;
}

export function isUsedUp({ left, used, rule }: ToldWindow): boolean {
  return left <= 0 && used >= rule.points;
}

/**
 * The limit that a client is told after a point was taken. `remaining` is a lower bound of what all instances may still
 * grant to it, and never grows within a window: points that another instance has drawn and not used count as used.
 * Lowers `remaining` of the window.
 */
export function grantedState(window: ToldWindow) {
  const unused = window.rule.points - window.used + window.left;
  if (unused < window.remaining) window.remaining = unused;
  return stateOf(window, undefined);
}

/** The limit that a refused client is told. Nothing remains in the window. */
export function refusedState(window: ToldWindow, now: number) {
  window.remaining = 0;
  return stateOf(window, Math.max(1, Math.ceil((window.overBy - now) / 1_000)));
}

export function stateOf(window: ToldWindow, retryAfterSeconds: number | undefined) {
  return {
    limit: window.rule.points,
    remaining: window.remaining,
    resetSeconds: window.resetSeconds,
    retryAfterSeconds,
  };
}
