import type { RateLimitClass } from '../../contract/rate-limits.js';
import { grantedState, isUsedUp, refusedState } from './remaining.rules.js';

/**
 * The part of a window of a key that one instance holds. It is changed in place, since every request does so. The times
 * called monotonic are of the stopwatch of this process, so setting a clock changes nothing. They are whole milliseconds,
 * because V8 keeps fractions outside of the object, where every request would have to fetch them from memory. (After 24
 * days a process keeps whole ones there, too.)
 */
export interface HeldWindow {
  readonly rule: RateLimitClass;
  /** Points drawn by this instance and not used yet. */
  left: number;
  /** Points drawn by all instances, as the database last said. */
  used: number;
  /** The remaining points that the client was last told. This never grows. */
  remaining: number;
  /** How many instances draw from windows of this key, as the database last said. */
  instances: number;
  /** The stored end, in epoch milliseconds. */
  readonly endsAtMs: number;
  /** The same in seconds, as clients are told. */
  readonly resetSeconds: number;
  /** Monotonic: points are granted until then, which is never after the end of the window. */
  servedUntil: number;
  /** Monotonic: the window has ended by then. */
  overBy: number;
  /** Monotonic: when a point was taken last. */
  usedAt: number;
  /** The points that only the insurance may grant until the window ends, so that no point is granted twice. */
  insured: number | undefined;
}

/** What the database answered to a draw. */
interface Drawn {
  got: number;
  used: number;
  endsAtMs: number;
  leftMs: number;
  instances: number;
}

/** The monotonic times between which the database processed a draw. */
interface Exchange {
  sentAt: number;
  receivedAt: number;
}

/** Takes a point, or refuses if the window is used up. Undefined if the database must be asked. */
export function takeFrom(window: HeldWindow, now: number) {
  if (now >= window.servedUntil || window.insured !== undefined) return undefined;
  if (window.left > 0) {
    window.left -= 1;
    window.usedAt = Math.floor(now);
    return grantedState(window);
  }
  return isUsedUp(window) ? refusedState(window, now) : undefined;
}

/** Adds drawn points to the held window, or makes a new one if they belong to another window. */
export function withDrawn(
  held: HeldWindow | undefined,
  rule: RateLimitClass,
  drawn: Drawn,
  { sentAt, receivedAt }: Exchange,
): HeldWindow {
  const { got, used, endsAtMs, leftMs, instances } = drawn;
  const servedUntil = Math.floor(sentAt + leftMs);
  const overBy = Math.ceil(receivedAt + leftMs);
  if (held === undefined || held.endsAtMs !== endsAtMs) {
    return {
      rule,
      left: got,
      used,
      remaining: rule.points,
      instances,
      endsAtMs,
      resetSeconds: Math.ceil(endsAtMs / 1_000),
      servedUntil,
      overBy,
      usedAt: Math.floor(receivedAt),
      insured: undefined,
    };
  }
  held.left += got;
  held.used = used;
  held.instances = instances;
  held.servedUntil = Math.max(held.servedUntil, servedUntil);
  held.overBy = Math.min(held.overBy, overBy);
  return held;
}

/**
 * How many more points this instance may grant to a key while the database does not answer, so that all instances
 * together grant no more than the limit; undefined if that is unknown. An only instance knows the rest of the window
 * exactly. One of several may grant nothing of a window that others draw from, and its share of one that begins now,
 * once the database has been unavailable for long enough to be unavailable to the others, too.
 */
export function insurable(
  held: HeldWindow | undefined,
  rule: RateLimitClass,
  { instances, isOutage }: { instances: number; isOutage: boolean },
): number | undefined {
  if (Math.max(instances, held?.instances ?? 1) === 1) return rule.points - (held?.used ?? 0);
  return held === undefined && isOutage ? Math.max(1, Math.floor(rule.points / instances)) : undefined;
}

/** A window that the insurance counts: the one held so far, or one that begins now. */
export function insuredWindow(
  held: HeldWindow | undefined,
  rule: RateLimitClass,
  { points, now, nowMs }: { points: number; now: number; nowMs: number },
): HeldWindow {
  if (held !== undefined) {
    held.insured = points;
    return held;
  }
  const windowMs = rule.windowSeconds * 1_000;
  const endsAtMs = nowMs + windowMs;
  return {
    rule,
    left: 0,
    used: 0,
    remaining: rule.points,
    instances: 1,
    endsAtMs,
    resetSeconds: Math.ceil(endsAtMs / 1_000),
    servedUntil: Math.floor(now + windowMs),
    overBy: Math.ceil(now + windowMs),
    usedAt: Math.floor(now),
    insured: points,
  };
}
