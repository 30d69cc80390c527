import type { BackoffPolicy } from '../jobs/backoff.js';

export interface DeliveryLimits {
  /** How long a claim lasts: longer than three POSTs, which one attempt may take during a rotation. */
  claimMs: number;
  /** How long after its claim a POST may still begin: well before another instance may claim the delivery. */
  startsWithinMs: number;
  /** How long a POST may take, including the answer (interface specification, "Limits"). */
  timeoutMs: number;
  retry: BackoffPolicy;
  /** The most concurrent POSTs of one queue. */
  perQueue: number;
  /** The most concurrent POSTs of all queues together. */
  inAll: number;
  /** The most deliveries claimed at once. */
  maxBatch: number;
  /** If an endpoint answers within this time, deliveries are claimed ahead for it. */
  quickMs: number;
  /** The number claimed ahead is what can be sent in this time, which is well within `startsWithinMs`. */
  aheadMs: number;
  /** After this many failures in a row an endpoint gets one delivery at a time. */
  failuresUntilEased: number;
  /** The pause after each delivery to such an endpoint. */
  easedRestMs: number;
}

/** The limits of one instance of the service. */
export const deliveryLimits: DeliveryLimits = {
  claimMs: 20_000,
  startsWithinMs: 1_000,
  timeoutMs: 5_000,
  // After the first, second and third failure: 10 s, 60 s and 360 s, ±20 %.
  retry: { baseMs: 10_000, factor: 6, maxMs: 360_000, jitter: 0.2 },
  perQueue: 8,
  inAll: 256,
  maxBatch: 256,
  quickMs: 100,
  aheadMs: 500,
  failuresUntilEased: 8,
  easedRestMs: 100,
};
