import { z } from 'zod';

/** What a limit counts: requests of one client address, disputes of one public key, or callbacks of one anchor. */
export type RateLimitKey = 'client' | 'publicKey' | 'anchor';

/** A fixed-window limit: `points` requests per `windowSeconds`, counted per key. */
export interface RateLimitClass {
  points: number;
  windowSeconds: number;
  key: RateLimitKey;
}

/**
 * The limits table of the interface specification. Every endpoint has a counter of its own; the class says how
 * many requests it grants in a fixed window.
 */
export const rateLimitClasses = {
  rates: { points: 90, windowSeconds: 60, key: 'client' },
  /**
   * Requests for rates with an amount that no client requested lately. The service has to ask every anchor of the corridor
   * for such an amount, which uses up the anchors' own limits.
   */
  newAmounts: { points: 30, windowSeconds: 60, key: 'client' },
  intent: { points: 20, windowSeconds: 60, key: 'client' },
  dispute: { points: 10, windowSeconds: 86_400, key: 'publicKey' },
  /**
   * Counts only callbacks whose signature was verified: enough for 20 payouts per second with ten callbacks each.
   * Requests that fail before that are counted separately, per client address, with the default limit.
   */
  callback: { points: 12_000, windowSeconds: 60, key: 'anchor' },
  /** Streams that a client opens. How many it may hold open is a setting of the service (docs/streams.md). */
  streams: { points: 60, windowSeconds: 60, key: 'client' },
  publisherHealth: { points: 120, windowSeconds: 60, key: 'client' },
  scores: { points: 60, windowSeconds: 60, key: 'client' },
  default: { points: 60, windowSeconds: 60, key: 'client' },
} as const satisfies Record<string, RateLimitClass>;

export type RateLimitClassName = keyof typeof rateLimitClasses;

/** The headers on every answer of a limited endpoint, errors included. */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': z.number().int().min(1).describe('Requests granted in one window.'),
  'X-RateLimit-Remaining': z
    .number()
    .int()
    .min(0)
    .describe('Requests left in this window; too many at times where several instances serve a client.'),
  'X-RateLimit-Reset': z
    .number()
    .int()
    .describe('When the window ends, in seconds since the Unix epoch (UTC).'),
} as const;

/** The further header on every 429, and on every 503 except where waiting does not help. */
export const retryAfterHeader = {
  'Retry-After': z.number().int().min(1).describe('Whole seconds to wait before the next request.'),
} as const;
