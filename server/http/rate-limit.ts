import type { Response } from 'express';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { type RateLimitClass, rateLimitClasses } from '../../contract/rate-limits.js';
import { ApiError } from '../errors.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { RateLimitState } from '../ports.js';

/**
 * The limit of an operation per client. The other classes count public keys or anchors, which only their handlers
 * know, so their clients get the default limit here.
 */
export function clientLimitOf(metadata: RouteMetadata): RateLimitClass {
  const rule = rateLimitClasses[metadata.limit];
  return rule.key === 'client' ? rule : rateLimitClasses.default;
}

/** Each operation has a window of its own for each client. */
export function limitKeyOf(operationId: string, client: string): string {
  return `${operationId}|${client}`;
}

/** Takes one point, sets the headers, and throws RATE_LIMITED if no point was left. */
export async function enforceLimit(
  limiter: Pick<RateLimiter, 'take'>,
  res: Response,
  rule: RateLimitClass,
  key: string,
): Promise<void> {
  const state = await limiter.take(rule, key);
  showLimit(res, state);
  if (state.retryAfterSeconds !== undefined) throw rateLimited(state.retryAfterSeconds);
}

export function rateLimited(
  retryAfter: number,
  message = 'Too many requests; try again after the seconds in retryAfter.',
): ApiError {
  return new ApiError('RATE_LIMITED', message, { retryAfter });
}

/** Sets the three headers; if several limits apply, they show the one with the smaller remainder. */
export function showLimit(res: Response, state: RateLimitState): void {
  const shown = res.getHeader('X-RateLimit-Remaining');
  const refusal = state.retryAfterSeconds !== undefined;
  if (shown !== undefined && Number(shown) < state.remaining && !refusal) return;
  const headers = limitHeaders(state);
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i] as string, headers[i + 1] as string);
}

/** The three headers, names and values alternating. */
export function limitHeaders({ limit, remaining, resetSeconds }: RateLimitState): string[] {
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(resetSeconds),
  ];
}
