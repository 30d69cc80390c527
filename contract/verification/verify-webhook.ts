import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { WebhookEvent } from '../client/generated/types.js';
import { concat, equalInConstantTime, fromBase64, fromUtf8, toBase64, toHex, utf8 } from './bytes.js';

export type { WebhookEvent } from '../client/generated/types.js';

const DEFAULT_TOLERANCE_SECONDS = 300;
const STANDARD_PREFIX = 'whsec_';
const MAX_STANDARD_SIGNATURES = 10;

export type WebhookFault =
  | 'missing_header'
  | 'bad_signature'
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  | 'malformed_body';

/** The delivery is not what the service sent, or is too old: answer 401 and do nothing. */
export class WebhookVerificationError extends Error {
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.fault = fault;
  }
}

/** A `Headers` object, or the record of a Node request; names may be in upper or lower case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A delivery as it came in, and the secret that was registered for it. */
export interface WebhookDelivery {
  /** The body exactly as received: bytes, or their UTF-8 text. A parsed and re-written body does not verify. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** The registered secret; during a rotation the old and the new one. RangeError if there is none or one is empty. */
  secret: string | readonly string[];
  /** How far `webhook-timestamp` may be from now, either way; 300 when absent. RangeError unless a number from 0 on. */
  toleranceSeconds?: number;
  /** Present time in epoch milliseconds, for tests; the clock's when absent. RangeError unless a finite number. */
  now?: number;
  /**
   * Whether a delivery without the Standard Webhooks headers is refused, as it is when this is absent. The service always sends
   * them, and they alone carry a time: without them, whoever recorded a delivery can send it again at any time.
   */
  requireTimestamp?: boolean;
}

/**
 * The secret as Standard Webhooks libraries take it, `whsec_` and base64 of the key bytes. A registered secret of that
 * form is returned unchanged; the key bytes of any other are its UTF-8 bytes.
 */
export function standardSecret(secret: string): string {
  return standardKey(secret) === null ? STANDARD_PREFIX + toBase64(utf8(secret)) : secret;
}

function standardKey(secret: string): Uint8Array | null {
  if (!secret.startsWith(STANDARD_PREFIX) || secret === STANDARD_PREFIX) return null;
  try {
    return fromBase64(secret.slice(STANDARD_PREFIX.length));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function headerReader(headers: WebhookHeaders): (name: string) => string | undefined {
  if ('get' in headers && typeof headers.get === 'function') {
    const source = headers as { get(name: string): string | null };
    return (name) => source.get(name) ?? undefined;
  }
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    // The values of a header that was sent twice are joined, as in a Headers object, and so match nothing.
    if (value !== undefined)
      values.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(', '));
  }
  return (name) => values.get(name);
}

/** Whether any given signature is an expected one. Each comparison takes the same time whatever its result. */
function matchesAny(given: readonly string[], expected: readonly string[]): boolean {
  return given
    .flatMap((text) => expected.map((other) => equalInConstantTime(utf8(text), utf8(other))))
    .includes(true);
}

function checkTimestamp(text: string, nowSeconds: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookVerificationError('bad_timestamp', 'webhook-timestamp is not a time in seconds');
  }
  const age = nowSeconds - Number(text);
  if (age > toleranceSeconds) throw new WebhookVerificationError('too_old', 'webhook-timestamp is too old');
  if (-age > toleranceSeconds)
    throw new WebhookVerificationError('too_new', 'webhook-timestamp is in the future');
}

interface StandardHeaders {
  id: string;
  timestamp: string;
  signatures: string;
}

/** The three headers of Standard Webhooks, or null if none is present. Throws if only some are. */
function standardHeaders(read: (name: string) => string | undefined): StandardHeaders | null {
  const id = read('webhook-id');
  const timestamp = read('webhook-timestamp');
  const signatures = read('webhook-signature');
  if (id === undefined && timestamp === undefined && signatures === undefined) return null;
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    throw new WebhookVerificationError('missing_header', 'one of the three webhook- headers is missing');
  }
  return { id, timestamp, signatures };
}

function checkStandard(headers: StandardHeaders, payload: Uint8Array, secrets: readonly string[]): void {
  const signed = concat(utf8(`${headers.id}.${headers.timestamp}.`), payload);
  const expected = secrets.map(
    (secret) => `v1,${toBase64(hmac(sha256, standardKey(secret) ?? utf8(secret), signed))}`,
  );
  const given = headers.signatures.split(' ').slice(0, MAX_STANDARD_SIGNATURES);
  if (!matchesAny(given, expected)) {
    throw new WebhookVerificationError('bad_signature', 'webhook-signature holds no matching signature');
  }
}

function parseEnvelope(payload: Uint8Array): WebhookEvent {
  let envelope: Partial<Record<keyof WebhookEvent, unknown>> | null;
  try {
    envelope = JSON.parse(fromUtf8(payload));
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
    throw new WebhookVerificationError('malformed_body', 'the body is not JSON in UTF-8');
  }
  const { event, id, createdAt, data } = envelope ?? {};
  const texts = [event, id, createdAt].every((text) => typeof text === 'string' && text !== '');
  if (!texts || typeof data !== 'object' || data === null) {
    throw new WebhookVerificationError('malformed_body', 'the body is not an event envelope');
  }
  return envelope as WebhookEvent;
}

/**
 * Checks a delivery and returns its envelope; throws WebhookVerificationError if a check fails, and RangeError, before
 * any check, if `secret`, `toleranceSeconds` or `now` cannot be used: that is a fault of the caller.
 * `X-Fairlead-Signature` must be the hex HMAC-SHA256 of the exact body, keyed with the UTF-8 bytes of the secret; the
 * Standard Webhooks headers must verify and be fresh besides (keyed as `standardSecret` says).
 * Deliveries come at least once: deduplicate by `id`. `data` is authentic but not validated, and a newer service may
 * add members; `switch` over `event` with a default.
 */
export function verifyWebhook(delivery: WebhookDelivery): WebhookEvent {
  const {
    toleranceSeconds = DEFAULT_TOLERANCE_SECONDS,
    now = Date.now(),
    requireTimestamp = true,
  } = delivery;
  const read = headerReader(delivery.headers);
  const payload = typeof delivery.body === 'string' ? utf8(delivery.body) : delivery.body;
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
  if (secrets.length === 0 || secrets.includes('')) throw new RangeError('a secret must not be empty');
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be a number from 0 on');
  if (!Number.isFinite(now)) throw new RangeError('now must be a time in milliseconds');

  const signature = read('x-fairlead-signature');
  if (signature === undefined) {
    throw new WebhookVerificationError('missing_header', 'X-Fairlead-Signature is missing');
  }
  const expected = secrets.map((secret) => toHex(hmac(sha256, utf8(secret), payload)));
  if (!matchesAny([signature], expected)) {
    throw new WebhookVerificationError('bad_signature', 'X-Fairlead-Signature does not match the body');
  }
  const standard = standardHeaders(read);
  if (standard === null && requireTimestamp) {
    throw new WebhookVerificationError('missing_header', 'the webhook- headers are missing');
  }
  if (standard !== null) {
    checkTimestamp(standard.timestamp, Math.floor(now / 1000), toleranceSeconds);
    checkStandard(standard, payload, secrets);
  }
  return parseEnvelope(payload);
}
