/** A `Headers` object, or whatever else reads a header by name. */
export interface ReadableHeaders {
  get(name: string): string | null;
}

/** How much of a limit is left, as the last answer said. */
export interface RateLimit {
  /** Requests granted in one window. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** When the window ends, in seconds since the Unix epoch (UTC). */
  resetEpochSeconds: number;
  /** Seconds to wait before the next request; null unless the answer says so, as 429 and 503 do. */
  retryAfterSeconds: number | null;
}

/** A header of decimal digits as a number; null where it is missing, longer than 12 digits or anything else. */
function wholeNumber(headers: ReadableHeaders, name: string): number | null {
  const text = headers.get(name) ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`: `Date.parse` also reads `1.5` and `-1` as dates. */
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * `Retry-After` in whole seconds, a fraction rounded up; null if it is absent or malformed. A date, which
 * proxies may send, is counted from `now` (epoch milliseconds), and a past one gives 0.
 */
export function readRetryAfter(headers: ReadableHeaders, now: number = Date.now()): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.ceil(Number(text));
  const until = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - now) / 1000));
}

/**
 * The `X-RateLimit-*` headers as numbers. Null if one is missing or not a number: on an operation without a limit, or
 * on an answer that does not come from this service.
 */
export function readRateLimit(headers: ReadableHeaders): RateLimit | null {
  const limit = wholeNumber(headers, 'x-ratelimit-limit');
  const remaining = wholeNumber(headers, 'x-ratelimit-remaining');
  const resetEpochSeconds = wholeNumber(headers, 'x-ratelimit-reset');
  if (limit === null || remaining === null || resetEpochSeconds === null) return null;
  return { limit, remaining, resetEpochSeconds, retryAfterSeconds: readRetryAfter(headers) };
}

/** The `max-age` of `Cache-Control` in seconds: how long the answer stays fresh; null where it must not be kept. */
export function readMaxAge(headers: ReadableHeaders): number | null {
  const [, seconds] =
    /(?:^|[\s,])max-age=(\d{1,12})(?:[\s,]|$)/.exec(headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? null : Number(seconds);
}
