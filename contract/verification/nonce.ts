import { toBase64 } from './bytes.js';

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
