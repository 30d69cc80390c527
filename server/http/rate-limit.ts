import type { ErrorRequestHandler, Response } from 'express';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { type RateLimitClass, rateLimitClasses } from '../../contract/rate-limits.js';
import { ApiError } from '../errors.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { RateLimitState } from '../ports.js';
import { toApiError } from './error-mapper.js';

/**
 * The limit of an operation per client. The other classes count public keys or anchors, which only their handlers
 * know, so their clients get the default limit here.
 */
export function clientLimitOf(metadata: RouteMetadata): RateLimitClass {
  const rule = rateLimitClasses[metadata.limit];
  return rule.key === 'client' ? rule : rateLimitClasses.default;
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

/** How many requests of addresses that have used up their limit are verified concurrently. */
const suspectsAtOnce = 4;

interface Unverified {
  rule: RateLimitClass;
  key: string;
}

/** Marks the request as verified: its handler has counted it, and the address is not charged for later failures. */
export function markVerified(res: Response): void {
  delete res.locals.unverified;
}

/**
 * The limit of operations that count their caller by a signature, which is in the body: until it is verified, nobody
 * knows whose point to take. Only requests that fail before that take a point, and they take it from the client
 * address. So neither strangers nor other senders behind the same address use up what a genuine sender has.
 */
export function createUnverifiedLimit(limiter: Pick<RateLimiter, 'take' | 'peek'>) {
  let suspects = 0;

  /** Takes a point if a request failed before it was verified. Faults of the service take none. */
  const countFailure: ErrorRequestHandler = async (error, _req, res, next) => {
    const unverified = res.locals.unverified as Unverified | undefined;
    if (unverified === undefined) return next(error);
    const { rule, key } = unverified;
    if (toApiError(error).status >= 500) {
      showLimit(res, limiter.peek(rule, key));
      return next(error);
    }
    await enforceLimit(limiter, res, rule, key).then(() => next(error), next);
  };

  return {
    /**
     * Takes no point. An address that has used up its failures is verified all the same, since a genuine sender may
     * share it, but only a few of these requests are processed concurrently; any other is refused with RATE_LIMITED.
     */
    admit(res: Response, rule: RateLimitClass, key: string): void {
      const state = limiter.peek(rule, key);
      if (state.retryAfterSeconds !== undefined) {
        // A pipelined answer behind another has no socket yet, and gets no event when the connection closes.
        if (suspects >= suspectsAtOnce || res.socket === null) {
          showLimit(res, state);
          throw rateLimited(state.retryAfterSeconds);
        }
        suspects += 1;
        res.once('close', () => {
          suspects -= 1;
        });
      }
      res.locals.unverified = { rule, key } satisfies Unverified;
    },
    countFailure,
  };
}

export type UnverifiedLimit = ReturnType<typeof createUnverifiedLimit>;
