/** What is left of a limit; times in epoch milliseconds. */
export interface Limit {
  limit: number;
  remaining: number;
  resetAt: number;
}

/** The longest wait, because a call has a timeout of its own. */
const longestMs = 10_000;

/**
 * How long to wait before the next request of a limit: not at all while more than a third remains, then so that the rest
 * lasts until the window ends. If nothing remains, the request waits only if the window ends soon; otherwise the service's
 * refusal says exactly when to come back.
 */
export function paceMs({ limit, remaining, resetAt }: Limit, now: number): number {
  const leftMs = resetAt - now;
  if (leftMs <= 0 || remaining * 3 > limit) return 0;
  if (remaining <= 0) return leftMs > longestMs ? 0 : leftMs;
  return Math.min(longestMs, Math.ceil(leftMs / (remaining + 1)));
}

/** Answers may overtake one another and come from the browser's cache: within a window the lower count is the newer. */
export function newerOf(known: Limit | undefined, told: Limit): Limit {
  if (known === undefined || told.resetAt > known.resetAt) return told;
  if (told.resetAt < known.resetAt) return known;
  return told.remaining < known.remaining ? told : known;
}
