import { getPublicKey, hashes, sign, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

// The synchronous functions of the library need a hash. The asynchronous ones need WebCrypto, which plain HTTP pages lack.
hashes.sha512 = sha512;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The 32-byte public key of a 32-byte secret seed. */
export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return getPublicKey(secretKey);
}

/** Ed25519 signature of the message itself, 64 bytes; deterministic (RFC 8032). */
export function signEd25519(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return sign(message, secretKey);
}

/**
 * RFC 8032 verification without the leniency of ZIP-215, which this library has by default and under which a
 * small-order key "signs" anything. A signature or key of another length is false.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false;
  return verify(signature, message, publicKey, { zip215: false });
}
