import { sha256 } from '@noble/hashes/sha2.js';
import { concat, utf8 } from './bytes.js';

const PREFIX = utf8('Stellar Signed Message:\n');

/**
 * SEP-53: SHA-256 of the prefix and the message, 32 bytes. A wallet signs this hash with Ed25519, so a
 * signed message can never pass for a signed transaction. Text is taken as UTF-8.
 */
export function sep53Hash(message: string | Uint8Array): Uint8Array {
  return sha256(concat(PREFIX, typeof message === 'string' ? utf8(message) : message));
}
