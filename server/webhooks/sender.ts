import { createHmac } from 'node:crypto';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import { standardSecret } from '../../contract/verification/verify-webhook.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../outbound/outbound.js';
import type { Clock } from '../ports.js';
import { type AttemptDocument, type Claimed, outcomeOfStatus, type Posts } from './delivery.rules.js';
import type { Recipient } from './secrets.js';

/**
 * Makes the POST of an attempt and returns its outcome; rejects only on a bug in this program. During a rotation a
 * refused POST is repeated at once with the other secret, and that one decides the outcome.
 */
export type SendDelivery = (delivery: Claimed, to: Recipient) => Promise<Posts>;

/** How many bytes of an answer are stored. */
const excerptBytes = 1_024;
/** How many bytes are read: enough that a secret which begins inside the excerpt is seen, and so redacted, in full. */
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

  async function post(delivery: Claimed, to: Recipient, plainSecret: string): Promise<AttemptDocument> {
    const startedAtMs = clock();
    const startedOn = stopwatch();
    const signedWith = plainSecret === to.presentSecret ? 'present' : 'former';
    const begun = { attempt: delivery.attempt, at: new Date(startedAtMs), signedWith } as const;
    const timestampSeconds = Math.floor(startedAtMs / 1_000);
    try {
      const answer = await outbound({
        url: to.url,
        method: 'POST',
        headers: deliveryHeaders({ ...delivery, secrets: to.secrets, plainSecret, timestampSeconds }),
        body: delivery.body,
        timeoutMs,
        maxBytes: answerBytes,
        // The status decides, and it is known by then.
        partial: true,
      });
      const { status, elapsedMs } = answer;
      const outcome = outcomeOfStatus(status);
      return { ...begun, outcome, status, elapsedMs, answer: excerptOf(answer.body, to.secretForms) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const elapsedMs = Math.round(stopwatch() - startedOn);
      return { ...begun, outcome: outcomeOfFailure[error.failure], status: null, elapsedMs, answer: null };
    }
  }

  return async (delivery, to) => {
    // First the oldest, which a receiver that was not updated yet knows.
    const [first, second] = to.secrets;
    if (first === undefined) throw new RangeError('a delivery needs a secret to be signed with');
    const refused = await post(delivery, to, first);
    if (refused.outcome !== 'refused' || second === undefined) return [refused];
    return [refused, await post(delivery, to, second)];
  };
}

/**
 * Replaces secrets that begin in the first 1,024 bytes and drops the rest. Text after that may end in part of a secret,
 * and shortening must not pull it into the excerpt.
 */
function withoutSecrets(text: string, forms: readonly string[]): string {
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  let kept = '';
  let at = 0;
  while (at < Math.min(text.length, excerptBytes)) {
    const form = longestFirst.find((each) => text.startsWith(each, at));
    kept += form === undefined ? text.charAt(at) : '[secret]';
    at += form === undefined ? 1 : form.length;
  }
  return kept.slice(0, excerptBytes);
}

/** What is signed of a delivery, and how: by the secrets in force, oldest first, in this second of this attempt. */
export type SignedParts = Pick<Claimed, 'event' | 'eventId' | 'body' | 'test'> &
  Pick<Recipient, 'secrets'> & {
    /** The secret that signs `X-Fairlead-Signature`; the oldest when absent. */
    plainSecret?: string;
    timestampSeconds: number;
  };

/** The keys of Standard Webhooks, newest first. */
function standardKeys(secrets: readonly string[]): Buffer[] {
  const bytesOf = (secret: string) => Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64');
  return secrets.map(bytesOf).reverse();
}

/**
 * The first 1,024 bytes of an answer as printable ASCII. Other bytes, backslash, `<`, `>`, `&` and `"` become `\xNN`,
 * so that the text is harmless in a log, a terminal and a page.
 * @param secretForms the forms of secrets, which a receiver may echo
 */
export function excerptOf(answer: Uint8Array, secretForms: readonly string[]): string {
  const text = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('latin1');
  return withoutSecrets(text, secretForms).replaceAll(
    /[^\x20-\x7e]|[\\<>&"]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
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
