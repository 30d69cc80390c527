import { readRetryAfter } from '../../contract/client/read-headers.js';

const withoutHeaderSeconds = 5;
const longestSeconds = 60;

/**
 * For how long a service that answers 429 or 503 is not asked again: its Retry-After, which is in seconds or a date
 * (RFC 9110 section 10.2.3), but between one second and a minute.
 */
export function pauseOf(retryAfter: string | undefined, nowMs: number): number {
  const asked = readRetryAfter({ get: () => retryAfter ?? null }, nowMs) ?? withoutHeaderSeconds;
  return Math.min(longestSeconds, Math.max(1, asked)) * 1_000;
}
