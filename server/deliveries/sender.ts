import { createHmac } from 'node:crypto';
import type { EventName } from '../../contract/schemas/events.js';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import { standardSecret } from '../../contract/verification/verify-webhook.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../outbound/outbound.js';
import type { Clock } from '../ports.js';
import type { Resume } from '../tracing/tracing.js';
import type { AttemptDocument, Claimed, Posts } from './delivery.rules.js';
import { lastOf, outcomeOfStatus } from './delivery.rules.js';
import type { Endpoint } from './ports.js';

/**
 * Makes the POST of an attempt and says how it ended; rejects only where this program is at fault. During a rotation a
 * refused POST is followed at once by one that is signed with another secret in force, until one is not refused: the
 * last one decides.
 */
export type SendDelivery = (delivery: Claimed, to: Endpoint) => Promise<Posts>;

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
  /** Does the work in the trace of the event's cause. */
  resume: Resume;
  clock: Clock;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  timeoutMs: number;
}): SendDelivery {
  const { outbound, resume, clock, stopwatch, timeoutMs } = deps;

  async function post(delivery: Claimed, to: Endpoint, plainSecret: string): Promise<AttemptDocument> {
    const startedAtMs = clock();
    const startedOn = stopwatch();
    const signedWith = plainSecret === to.secrets.at(-1) ? 'present' : 'former';
    const begun = { attempt: delivery.attempt, at: new Date(startedAtMs), signedWith } as const;
    const timestampSeconds = Math.floor(startedAtMs / 1_000);
    const { event, eventId, body: sentBody, test } = delivery;
    try {
      const { status, elapsedMs, body } = await outbound({
        url: to.url,
        method: 'POST',
        headers: deliveryHeaders({
          event,
          eventId,
          body: sentBody,
          test,
          secrets: to.secrets,
          plainSecret,
          timestampSeconds,
        }),
        body: sentBody,
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
  }

  async function send(delivery: Claimed, to: Endpoint): Promise<Posts> {
    const [first, ...others] = inOrderOfTrial(to.secrets);
    const posts: Posts = [await post(delivery, to, first)];
    for (const secret of others) {
      if (lastOf(posts).outcome !== 'refused') break;
      posts.push(await post(delivery, to, secret));
    }
    return posts;
  }

  return (delivery, to) => {
    const { event, attempt, traceparent } = delivery;
    const attributes = { 'fairlead.event': event, 'fairlead.attempt': attempt };
    return resume({ traceparent, name: `deliver ${event}`, attributes }, () => send(delivery, to));
  };
}

/**
 * The oldest secret first, since a receiver that was not touched yet knows that one; then the newest, to which it
 * changes, and what lies between two rotations last.
 */
function inOrderOfTrial(secrets: readonly string[]): [string, ...string[]] {
  const [oldest, ...newer] = secrets;
  if (oldest === undefined) throw new RangeError('a delivery needs a secret to be signed with');
  return [oldest, ...newer.reverse()];
}

export interface SignedParts {
  event: EventName;
  eventId: string;
  /** The exact body. */
  body: string;
  test: boolean;
  /** Those in force, oldest first; at least one. */
  secrets: readonly string[];
  /** The one of them that signs `X-Fairlead-Signature`; the oldest when absent. */
  plainSecret?: string;
  /** Of this attempt, in seconds since the Unix epoch. */
  timestampSeconds: number;
}

/**
 * The headers of one attempt. `X-Fairlead-Signature` holds exactly one signature (interface specification, "Delivery"
 * 2), so during a rotation a POST that is refused is made again with another secret. The three headers of Standard Webhooks 1.0.0 list a signature by each secret, newest first.
 */
export function deliveryHeaders(parts: SignedParts): Record<string, string> {
  const { event, eventId, body, test, secrets, timestampSeconds, plainSecret = secrets[0] } = parts;
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

/** An endpoint is sent many deliveries between two times that its secrets are read. */
const knownKeys = new WeakMap<readonly string[], Buffer[]>();

/** The keys of Standard Webhooks, newest first. */
function standardKeys(secrets: readonly string[]): Buffer[] {
  const known = knownKeys.get(secrets);
  if (known !== undefined) return known;
  const bytesOf = (secret: string) => Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64');
  const keys = secrets.map(bytesOf).reverse();
  knownKeys.set(secrets, keys);
  return keys;
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
