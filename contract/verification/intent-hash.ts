import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64, toHex, utf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { utcInstant } from './instant.js';
import { parsePublicKey } from './strkey.js';

/** The terms that an intent hash is computed from, as the wallet sends them, without defaults of the server. */
export interface IntentTerms {
  /** In any case; hashed in lower case. */
  corridor: string;
  /** In any case; hashed in lower case. */
  anchorId: string;
  /** `G…` or 64 hex digits; hashed as `G…`. */
  account: string;
  /** Decimal string; trailing zeros do not matter. */
  sellAmount: string;
  /** Decimal string; trailing zeros do not matter. */
  minReceive?: string | undefined;
  deliveryMethod?: string | undefined;
  /** ISO 8601; hashed in UTC with milliseconds, so its spelling does not matter. */
  expiresAt?: string | undefined;
  nonce: string;
}

/** `100.50` → `100.5`, `100.00` → `100`. Throws RangeError on signs, exponents and leading zeros. */
function withoutTrailingZeros(amount: string): string {
  if (amount.length > 64 || !/^(0|[1-9]\d*)(\.\d+)?$/.test(amount)) {
    throw new RangeError(
      'an amount of an intent must be a decimal string without sign, exponent or leading zeros',
    );
  }
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

function inUtc(expiresAt: string): string {
  const instant = utcInstant(expiresAt);
  if (instant === null)
    throw new RangeError('expiresAt of an intent must be an ISO 8601 instant that exists');
  return instant;
}

/**
 * The text that is hashed: RFC 8785 form of the terms with `type: "fairlead.intent.v1"`, absent members left out.
 * Throws StrkeyError on a bad account, RangeError on a bad amount or instant.
 */
export function canonicalIntent(intent: IntentTerms): string {
  return canonicalJson({
    type: 'fairlead.intent.v1',
    corridor: intent.corridor.toLowerCase(),
    anchorId: intent.anchorId.toLowerCase(),
    account: parsePublicKey(intent.account).account,
    sellAmount: withoutTrailingZeros(intent.sellAmount),
    minReceive: intent.minReceive === undefined ? undefined : withoutTrailingZeros(intent.minReceive),
    deliveryMethod: intent.deliveryMethod,
    expiresAt: intent.expiresAt === undefined ? undefined : inUtc(intent.expiresAt),
    nonce: intent.nonce,
  });
}

/** SHA-256 of `canonicalIntent` in UTF-8: 64 lower-case hex digits. Throws as `canonicalIntent` does. */
export function intentHash(intent: IntentTerms): string {
  return toHex(sha256(utf8(canonicalIntent(intent))));
}

const NONCE_BYTES = 24;

/**
 * A nonce for an intent: 192 random bits as 32 of `[A-Za-z0-9_-]`. Keep it like a password: the service
 * never returns it, and whoever knows it may attach a transaction to the intent. `random` replaces `crypto` in tests.
 */
export function newNonce(
  random: (length: number) => Uint8Array = (length) => crypto.getRandomValues(new Uint8Array(length)),
): string {
  return toBase64(random(NONCE_BYTES)).replaceAll('+', '-').replaceAll('/', '_');
}
