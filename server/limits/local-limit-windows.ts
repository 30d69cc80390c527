import { LRUCache } from 'lru-cache';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock, RateLimitState } from '../ports.js';
import { clockToleranceMs } from './window-store.js';

const localKeys = 50_000;
/** The end of a window, computed from two answers, differs by the time that the answers took. */
const windowToleranceMs = 1_000;

/**
 * The last known count of each key in this process. It follows the shared counters, so that a slow answer of the
 * database neither returns points to a client nor takes any away.
 */
export function createLocalCounter(clock: Clock) {
  const windows = new LRUCache<string, LocalWindow>({ max: localKeys });

  function count(rule: RateLimitClass, key: string, shared: LocalWindow): RateLimitState {
    const now = clock();
    const known = windows.get(key);
    const used = continues(rule, known, shared, now) ? Math.max(known.used + 1, shared.used) : shared.used;
    windows.set(key, { used, endsAt: shared.endsAt });
    return toState(rule, used, shared.endsAt, now);
  }

  return {
    /** Windows are fixed: a client that has used one up is refused until its end, without asking the database. */
    refusal(rule: RateLimitClass, key: string): RateLimitState | undefined {
      const known = windows.get(key);
      const now = clock();
      const refused = isRunning(rule, known, now) && known.used > rule.points;
      return refused ? toState(rule, known.used, known.endsAt, now) : undefined;
    },
    peek(rule: RateLimitClass, key: string): RateLimitState {
      const known = windows.get(key);
      const now = clock();
      const { used, endsAt } = isRunning(rule, known, now) ? known : newWindow(rule, now);
      return toState(rule, used, endsAt, now);
    },
    agree: (rule: RateLimitClass, key: string, used: number, endsAt: number) =>
      count(rule, key, { used, endsAt }),
    consume(rule: RateLimitClass, key: string) {
      const now = clock();
      const known = windows.get(key);
      const { endsAt } = isRunning(rule, known, now) ? known : newWindow(rule, now);
      return count(rule, key, { used: 1, endsAt });
    },
  };
}

interface LocalWindow {
  used: number;
  endsAt: number;
}

function newWindow(rule: RateLimitClass, now: number): LocalWindow {
  return { used: 0, endsAt: now + rule.windowSeconds * 1_000 };
}

/**
 * Whether what was counted in the known window counts in the shared one, too. While the store was slow, this process may
 * have begun a window by itself, seconds before the store did: only a window that ends a whole length later is the next.
 */
function continues(
  rule: RateLimitClass,
  known: LocalWindow | undefined,
  shared: LocalWindow,
  now: number,
): known is LocalWindow {
  return (
    isRunning(rule, known, now) &&
    Math.abs(shared.endsAt - known.endsAt) < rule.windowSeconds * 1_000 - windowToleranceMs
  );
}

/** A window that ends later than one that begins now was begun before the database's clock was set back. */
function isRunning(
  rule: RateLimitClass,
  window: LocalWindow | undefined,
  now: number,
): window is LocalWindow {
  return (
    window !== undefined &&
    window.endsAt > now &&
    window.endsAt <= newWindow(rule, now).endsAt + clockToleranceMs
  );
}

function toState(rule: RateLimitClass, used: number, endsAt: number, now: number): RateLimitState {
  return {
    limit: rule.points,
    remaining: Math.max(0, rule.points - used),
    resetSeconds: Math.ceil(endsAt / 1000),
    retryAfterSeconds: used > rule.points ? Math.max(1, Math.ceil((endsAt - now) / 1000)) : undefined,
  };
}
