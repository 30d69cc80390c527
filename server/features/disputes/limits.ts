import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter, RateLimitState } from '../../http/rate-limiter.js';

const perKey = rateLimitClasses.dispute;
/** Remembers for as long as the limit's window that a key's point for an intent was taken. */
const oncePerIntent = { ...perKey, points: 1 };

/**
 * The dispute limit of a public key, such that nobody else can use it up. Attempts count per key and client, before
 * the signature is verified; a point of the key itself is taken after it, and once per intent, so that neither bad
 * signatures nor a captured dispute sent again from many addresses cost its owner anything.
 */
export interface DisputeLimits {
  /** Before verification. Throws RATE_LIMITED; rejects while the shared counters are out of reach. */
  takeAttempt(account: string, client: string, show: ShowLimit): Promise<void>;
  /** After verification; likewise. */
  takePoint(account: string, intentHash: string, show: ShowLimit): Promise<void>;
}

export type ShowLimit = (state: RateLimitState) => void;

export function createDisputeLimits(deps: { limiter: Pick<RateLimiter, 'consume'> }): DisputeLimits {
  async function take(key: string, show: ShowLimit): Promise<void> {
    const state = await deps.limiter.consume(perKey, key, { strict: true });
    show(state);
    if (state.retryAfterSeconds !== undefined) {
      throw new ApiError('RATE_LIMITED', 'This key has filed its disputes for now.', {
        retryAfter: state.retryAfterSeconds,
      });
    }
  }

  return {
    takeAttempt: (account, client, show) => take(`disputeAttempt|${account}|${client}`, show),
    async takePoint(account, intentHash, show) {
      const marker = `disputeSeen|${account}|${intentHash}`;
      const seen = await deps.limiter.consume(oncePerIntent, marker, { strict: true });
      if (seen.retryAfterSeconds === undefined) await take(`disputeKey|${account}`, show);
    },
  };
}
