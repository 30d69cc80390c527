import { ApiError } from '../errors.js';
import type { RateLimitState } from '../ports.js';

/** The time that the breaker waits before it asks the database again. */
const retryAfterSeconds = 2;

/**
 * The database does not answer, other instances draw from the same window, and the points that this one held are used
 * up: the request can be neither granted, as the limit may be used up, nor refused, as it may not be.
 */
export class LimitUnknownError extends ApiError {
  constructor(readonly state: RateLimitState) {
    super('NOT_READY', 'The database does not answer, and the limit is shared with other instances.', {
      retryAfter: retryAfterSeconds,
    });
  }
}
