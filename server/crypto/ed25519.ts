import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fromHex, utf8 } from '../../contract/verification/bytes.js';
import { verifyEd25519 } from '../../contract/verification/ed25519.js';
import { sep53Hash } from '../../contract/verification/sep53.js';
import { isSmallOrder } from '../../contract/verification/strkey.js';

/**
 * Two verifiers of Ed25519, both of which must accept. OpenSSL checks the equation without cofactor but takes
 * small-order and non-canonical keys; @noble/ed25519 (zip215: false) refuses those but checks with cofactor. Together
 * they accept what RFC 8032 meant and nothing whose meaning libraries disagree on (eprint 2020/1244).
 * OpenSSL goes first: it costs a fifteenth of the other (0.06 ms to 0.9 ms), so a bad signature is cheap.
 */

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The caller passed something that is no signature or key by its length; to be caught where input is parsed. */
export class Ed25519InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Ed25519InputError';
  }
}

/** Throws Ed25519InputError unless the signature has 64 bytes and the key 32. */
export function assertLengths(signature: Uint8Array, publicKey: Uint8Array): void {
  if (signature.length !== SIGNATURE_BYTES) {
    throw new Ed25519InputError(`a signature has ${SIGNATURE_BYTES} bytes, not ${signature.length}`);
  }
  if (publicKey.length !== KEY_BYTES) {
    throw new Ed25519InputError(`a public key has ${KEY_BYTES} bytes, not ${publicKey.length}`);
  }
}

/** The key as OpenSSL takes it; made once for several checks. */
export function openSslKey(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** The first verifier, in a thread of libuv: the event loop only dispatches it (about 10 µs). */
export function verifyWithOpenSsl(
  signature: Uint8Array,
  message: Uint8Array,
  key: KeyObject,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, message, key, signature, (error, valid) => {
      if (error === null) resolve(valid);
      else reject(error);
    });
  });
}

/**
 * Whether both verifiers accept, on the calling thread (1 ms if they do). A false signature is false; one of another
 * length than 64 bytes, or a key of another than 32, throws Ed25519InputError.
 */
export function verifyStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  assertLengths(signature, publicKey);
  if (isSmallOrder(publicKey)) return false;
  return (
    verify(null, message, openSslKey(publicKey), signature) && verifyEd25519(signature, message, publicKey)
  );
}

/**
 * What a signature "over intentHash" may be over: its SEP-53 hash, its 64 characters, or, for compatibility only, the
 * 32 bytes they stand for. Throws RangeError unless it is 64 lower-case hex digits.
 */
export function disputeForms(intentHash: string): [sep53: Uint8Array, text: Uint8Array, raw: Uint8Array] {
  const raw = fromHex(intentHash);
  if (raw.length !== 32) throw new RangeError('intentHash must be 64 lower-case hex digits');
  return [sep53Hash(intentHash), utf8(intentHash), raw];
}
