import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** The parts of signature verification (verify-pool.ts): input checks and the first verifier. */

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The input has the wrong length for a signature or a public key; input parsers should catch that earlier. */
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

/** The key in the form that OpenSSL takes, made once for several checks. */
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
