import { createHmac } from 'node:crypto';
import type { EventName } from '../../../contract/schemas/events.js';
import { standardSecret } from '../../../contract/verification/verify-webhook.js';

export interface SignedParts {
  event: EventName;
  eventId: string;
  /** The exact body. */
  body: string;
  test: boolean;
  /** Those in force, oldest first; at least one. */
  secrets: readonly string[];
  /** Of this attempt, in seconds since the Unix epoch. */
  timestampSeconds: number;
}

/**
 * The headers of one attempt. `X-Fairlead-Signature` is one signature exactly (interface specification, "Delivery" 2),
 * so during a rotation it is the oldest secret's: a receiver that knows only that one is served until the overlap ends.
 * The three headers of Standard Webhooks 1.0.0 list a signature by each secret, newest first.
 */
export function deliveryHeaders(parts: SignedParts): Record<string, string> {
  const { event, eventId, body, test, secrets, timestampSeconds } = parts;
  const [oldest] = secrets;
  if (oldest === undefined) throw new RangeError('a delivery needs a secret to be signed with');
  const signed = `${eventId}.${timestampSeconds}.${body}`;
  return {
    'Content-Type': 'application/json',
    'X-Fairlead-Signature': createHmac('sha256', oldest).update(body).digest('hex'),
    'X-Fairlead-Event': event,
    ...(test ? { 'X-Fairlead-Test': 'true' } : {}),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`)
      .reverse()
      .join(' '),
  };
}

function standardKey(secret: string): Buffer {
  return Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64');
}
