import { createHmac } from 'node:crypto';
import type { EventName } from '../../contract/schemas/events.js';
import { standardSecret } from '../../contract/verification/verify-webhook.js';

export interface SignedParts {
  event: EventName;
  eventId: string;
  /** The exact body. */
  body: string;
  test: boolean;
  /** The secrets in force, oldest first; at least one. */
  secrets: readonly string[];
  /** The secret that signs `X-Fairlead-Signature`; the oldest when absent. */
  plainSecret?: string;
  /** The time of this attempt, in seconds since the Unix epoch. */
  timestampSeconds: number;
}

/**
 * The headers of one attempt. `X-Fairlead-Signature` holds exactly one signature (interface specification, "Delivery"
 * 2), so during a rotation a POST that is refused is made again with another secret. The three headers of Standard
 * Webhooks 1.0.0 list a signature by each secret, newest first.
 */
export function deliveryHeaders(parts: SignedParts): Record<string, string> {
  const { event, eventId, body, test, secrets, timestampSeconds } = parts;
  const { plainSecret = secrets[0] } = parts;
  if (plainSecret === undefined) throw new RangeError('a delivery needs a secret to be signed with');
  const signed = `${eventId}.${timestampSeconds}.${body}`;
  return {
    'Content-Type': 'application/json',
    'X-Fairlead-Signature': createHmac('sha256', plainSecret).update(body).digest('hex'),
    'X-Fairlead-Event': event,
    ...(test ? { 'X-Fairlead-Test': 'true' } : {}),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standardKeys(secrets)
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  };
}

/** The keys of Standard Webhooks, newest first. */
function standardKeys(secrets: readonly string[]): Buffer[] {
  const bytesOf = (secret: string) => Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64');
  return secrets.map(bytesOf).reverse();
}
