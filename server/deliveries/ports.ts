import type { EventName } from '../../contract/schemas/events.js';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import type { BackoffPolicy } from '../jobs/backoff.js';
import type { ClientSession } from '../mongo/transactions.js';

/** A registered webhook as the engine needs it: where deliveries go, and what they are signed with. */
export interface Endpoint {
  url: string;
  enabled: boolean;
  /** Grows with every change by an admin. */
  revision: number;
  /** The secrets in force, oldest first. */
  secrets: string[];
  /** Every form of a secret that the receiver may echo; each is cut out of its answers. */
  secretForms: string[];
}

/** What the engine is handed of the webhooks. An endpoint is read again for every claim, so a change counts at once. */
export interface Endpoints {
  /** The webhooks subscribed to an event, as this transaction sees them. */
  subscribersOf(session: ClientSession, event: EventName): Promise<string[]>;
  /** `gone`: the webhook was deleted. `locked`: none of its secrets can be opened, so nothing can be signed for it. */
  find(webhookId: string): Promise<Endpoint | 'gone' | 'locked'>;
  /**
   * Disables a webhook that refused a delivery, unless an admin has changed it since `revision`. Returns whether this
   * call disabled it.
   */
  disable(webhookId: string, revision: number, status: number | null): Promise<boolean>;
}

/** Told of attempts and of deliveries that ended, for the metrics. */
export interface DeliveryMeter {
  attempted(outcome: AttemptOutcome): void;
  settled(state: 'delivered' | 'refused' | 'exhausted'): void;
}

export interface DeliveryLimits {
  /** How long a claim lasts. */
  claimMs: number;
  /** How long after its claim a POST may still begin: well before another instance may claim the delivery. */
  startsWithinMs: number;
  /** How long a POST may take, including the answer (interface specification, "Limits"). */
  timeoutMs: number;
  retry: BackoffPolicy;
  /** POSTs under way from one queue. */
  perQueue: number;
  /** POSTs under way from all queues together. */
  inAll: number;
  /** The most deliveries claimed at once. */
  maxBatch: number;
  /** An endpoint that answers within this time gets deliveries claimed ahead: */
  quickMs: number;
  /** as many as it takes this long to send, well within the time in which a POST must begin. */
  aheadMs: number;
  /** After this many failures in a row an endpoint gets one delivery at a time, */
  failuresUntilEased: number;
  /** with this rest after each. */
  easedRestMs: number;
}

/** The limits of one instance of the service. */
export const deliveryLimits: DeliveryLimits = {
  claimMs: 15_000,
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
