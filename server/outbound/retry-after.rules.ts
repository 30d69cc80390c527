const withoutHeaderMs = 5_000;
const longestMs = 60_000;

/**
 * For how long a service that answers 429 or 503 is not asked again: its Retry-After, which is in seconds or a date
 * (RFC 9110 section 10.2.3), but between one second and a minute.
 */
export function pauseOf(retryAfter: string | undefined, nowMs: number): number {
  const text = retryAfter?.trim() ?? '';
  const askedMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : untilDate(text, nowMs);
  return Math.min(longestMs, Math.max(1_000, askedMs ?? withoutHeaderMs));
}

function untilDate(text: string, nowMs: number): number | undefined {
  const untilMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(untilMs) ? undefined : untilMs - nowMs;
}
