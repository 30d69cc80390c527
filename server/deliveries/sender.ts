import { createHmac } from 'node:crypto';
import type { EventName } from '../../contract/schemas/events.js';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import { standardSecret } from '../../contract/verification/verify-webhook.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../outbound/outbound.js';
import type { Clock } from '../ports.js';
import type { AttemptDocument, Claimed } from './delivery.rules.js';
import { outcomeOfStatus } from './delivery.rules.js';
import type { Endpoint } from './ports.js';

/** Makes the one POST of an attempt and says how it ended; rejects only where this program is at fault. */
export type SendDelivery = (delivery: Claimed, to: Endpoint) => Promise<AttemptDocument>;

/** What is kept of an answer, in bytes. */
const excerptBytes = 1_024;
/** What is read of it: enough that a secret which begins inside the excerpt is seen whole, and so cut out whole. */
export const answerBytes = excerptBytes + 512;

const outcomeOfFailure: Record<OutboundFailure, AttemptOutcome> = {
  timeout: 'timeout',
  unreachable: 'unreachable',
  bad_response: 'bad_response',
  too_large: 'bad_response',
  blocked: 'blocked',
  invalid_url: 'blocked',
};

export function createSender(deps: {
  outbound: Outbound;
  clock: Clock;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  timeoutMs: number;
}): SendDelivery {
  const { outbound, clock, stopwatch, timeoutMs } = deps;
  return async (delivery, to) => {
    const startedAtMs = clock();
    const startedOn = stopwatch();
    const begun = { attempt: delivery.attempt, at: new Date(startedAtMs) };
    const timestampSeconds = Math.floor(startedAtMs / 1_000);
    try {
      const { status, elapsedMs, body } = await outbound({
        url: to.url,
        method: 'POST',
        headers: deliveryHeaders({ ...delivery, secrets: to.secrets, timestampSeconds }),
        body: delivery.body,
        timeoutMs,
        maxBytes: answerBytes,
        onOverflow: 'truncate',
      });
      const outcome = outcomeOfStatus(status);
      return { ...begun, outcome, status, elapsedMs, answer: excerptOf(body, to.secretForms) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const elapsedMs = Math.round(stopwatch() - startedOn);
      return { ...begun, outcome: outcomeOfFailure[error.failure], status: null, elapsedMs, answer: null };
    }
  };
}

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
 * The headers of one attempt. `X-Fairlead-Signature` holds exactly one signature (interface specification, "Delivery"
 * 2), so during a rotation it is made with the oldest secret: a receiver that knows only that one is served until the
 * overlap ends. The three headers of Standard Webhooks 1.0.0 list a signature by each secret, newest first.
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

/**
 * The first 1,024 bytes of an answer as printable ASCII. Other bytes, backslash, `<`, `>`, `&` and `"` become `\xNN`,
 * so that the text is harmless in a log, a terminal and a page.
 * @param secretForms the forms of secrets, which a receiver may echo
 */
export function excerptOf(answer: Uint8Array, secretForms: readonly string[]): string {
  let text = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('latin1');
  for (const form of secretForms) text = text.replaceAll(form, '[secret]');
  return text
    .slice(0, excerptBytes)
    .replaceAll(
      /[^\x20-\x7e]|[\\<>&"]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}
