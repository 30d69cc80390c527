import type { RateLimitClass } from '../../contract/rate-limits.js';

/** What one instance holds of a key's window. Changed in place, since every request does so. */
export interface HeldWindow {
  /** Points that this instance drew and has not used yet. */
  left: number;
  /** Points that no instance had drawn as of our last draw. */
  undrawn: number;
  /** How many points our last draw asked for. */
  portion: number;
  /** Monotonic milliseconds. */
  endsAt: number;
  /** As clients are told: epoch seconds, rounded up. */
  resetSeconds: number;
}

/** A draw as rate-limiter-flexible answers it, granted or refused. */
export interface DrawAnswer {
  /** Points drawn from the window by all instances, with this draw, and beyond the limit where it was refused. */
  consumedPoints: number;
  msBeforeNext: number;
}

/** Points that a stopped instance held are missing until the window ends: that is bearable for a minute, not for a day. */
const longestSharedOutSeconds = 60;

/** An eighth of the limit at first, and twice as much with each further draw of the same window. */
export function portionOf({ points, windowSeconds }: RateLimitClass, last: number | undefined): number {
  if (windowSeconds > longestSharedOutSeconds) return 1;
  return last === undefined ? Math.max(1, Math.floor(points / 8)) : Math.min(points, 2 * last);
}

/** How much of a portion its draw was granted: a draw that goes beyond the limit gets what was left under it. */
export function grantedOf(limit: number, portion: number, { consumedPoints }: DrawAnswer): number {
  return Math.min(portion, Math.max(0, limit - (consumedPoints - portion)));
}

/** The window after a draw. Nothing is left of earlier draws, since nobody draws while points are held. */
export function drawnWindow(
  { points, windowSeconds }: RateLimitClass,
  portion: number,
  answer: DrawAnswer,
  { now, nowMs }: { now: number; nowMs: number },
): HeldWindow {
  const leftMs = Math.min(answer.msBeforeNext, windowSeconds * 1_000);
  return {
    left: grantedOf(points, portion, answer),
    undrawn: Math.max(0, points - answer.consumedPoints),
    portion,
    endsAt: now + leftMs,
    resetSeconds: Math.ceil((nowMs + leftMs) / 1_000),
  };
}

/** Takes a point, or refuses where the whole limit is drawn and used. Undefined if a draw is needed. */
export function takeFrom(window: HeldWindow, { points }: RateLimitClass, now: number) {
  if (now >= window.endsAt) return undefined;
  if (window.left > 0) window.left -= 1;
  else if (window.undrawn > 0) return undefined;
  else return stateOf(window, points, secondsUntil(window.endsAt, now));
  return stateOf(window, points, undefined);
}

/** What a client is told of a point that was drawn for its request alone. */
export function singleState(rule: RateLimitClass, answer: DrawAnswer, at: { now: number; nowMs: number }) {
  const window = drawnWindow(rule, 1, answer, at);
  const retryAfterSeconds = window.left > 0 ? undefined : secondsUntil(window.endsAt, at.now);
  return stateOf({ ...window, left: 0 }, rule.points, retryAfterSeconds);
}

/** What is left of a window, without taking a point. */
export function shownOf(window: HeldWindow, { points }: RateLimitClass, now: number) {
  const isUsedUp = window.left + window.undrawn === 0;
  return stateOf(window, points, isUsedUp ? secondsUntil(window.endsAt, now) : undefined);
}

function stateOf(window: HeldWindow, limit: number, retryAfterSeconds: number | undefined) {
  return {
    limit,
    remaining: window.left + window.undrawn,
    resetSeconds: window.resetSeconds,
    retryAfterSeconds,
  };
}

function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1_000));
}
