import { sha256 } from '@noble/hashes/sha2.js';
import type { FileDisputeBody } from '../schemas/disputes.js';
import { concat, toBase64, utf8 } from './bytes.js';
import { publicKeyOf, signEd25519 } from './ed25519.js';
import { decodeSecretKey, encodePublicKey } from './strkey.js';

/** The body of `POST /api/reputation/dispute`. */
export type SignedDispute = FileDisputeBody;

/** The input of `signDispute`. `reason`: 1 to 2,000 characters; it is not signed. */
export interface DisputeToSign {
  intentHash: string;
  anchorId: string;
  reason: string;
  /** 32 seed bytes, or the `S…` strkey. */
  secretKey: Uint8Array | string;
}

/**
 * A complete dispute, signed over the SEP-53 hash of the intent hash's 64 characters. A wallet that does not
 * reveal its key does the same with `signMessage(intentHash)`, which returns the `signature` in base64.
 * Throws RangeError if intentHash is not 64 lower-case hex digits, StrkeyError on a malformed `S…`.
 */
export function signDispute({ intentHash, anchorId, reason, secretKey }: DisputeToSign): SignedDispute {
  if (!/^[0-9a-f]{64}$/.test(intentHash)) throw new RangeError('intentHash must be 64 lower-case hex digits');
  const seed = typeof secretKey === 'string' ? decodeSecretKey(secretKey) : secretKey;
  const publicKey = encodePublicKey(publicKeyOf(seed));
  const signature = toBase64(signEd25519(sep53Hash(intentHash), seed));
  return { intentHash, publicKey, signature, anchorId, reason };
}

const PREFIX = utf8('Stellar Signed Message:\n');

/**
 * SEP-53: SHA-256 of the prefix and the message, 32 bytes. A wallet signs this hash with Ed25519, so a
 * signed message can never pass for a signed transaction. Text is taken as UTF-8.
 */
export function sep53Hash(message: string | Uint8Array): Uint8Array {
  return sha256(concat(PREFIX, typeof message === 'string' ? utf8(message) : message));
}
