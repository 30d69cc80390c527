import type { EventName } from '../../contract/schemas/events.js';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import type { ClientSession } from '../mongo/transactions.js';

/** A registered webhook as the engine needs it: where deliveries go, and what they are signed with. */
export interface Endpoint {
  url: string;
  enabled: boolean;
  /** Grows with every change by an admin. */
  revision: number;
  /** The secrets in force, oldest first. */
  secrets: string[];
  /** The newest secret in force; undefined if it cannot be decrypted, so that only earlier ones sign. */
  presentSecret: string | undefined;
  /** Every form of a secret that the receiver may echo; each is cut out of its answers. */
  secretForms: string[];
}

/** The functions of the webhooks that the engine uses. It reads an endpoint for every claim, so a change counts at once. */
export interface Endpoints {
  /** The webhooks subscribed to an event, as this transaction sees them. */
  subscribersOf(session: ClientSession, event: EventName): Promise<string[]>;
  /** `gone`: the webhook was deleted. `locked`: none of its secrets can be opened, so nothing can be signed for it. */
  find(webhookId: string): Promise<Endpoint | 'gone' | 'locked'>;
  /** Those of these webhooks that were deleted. */
  goneAmong(webhookIds: string[]): Promise<string[]>;
  /**
   * Disables a webhook that refused a delivery, unless an admin has changed it since `revision`. Returns whether this
   * call disabled it.
   */
  disable(webhookId: string, revision: number, status: number | null): Promise<boolean>;
}

/** Counts attempts and ended deliveries, for the metrics. */
export interface DeliveryMeter {
  attempted(outcome: AttemptOutcome): void;
  settled(state: 'delivered' | 'refused' | 'exhausted'): void;
}
