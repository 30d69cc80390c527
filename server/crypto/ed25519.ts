import { createPublicKey, verify } from 'node:crypto';
import { fromHex, utf8 } from '../../contract/verification/bytes.js';
import { verifyEd25519 } from '../../contract/verification/ed25519.js';
import { sep53Hash } from '../../contract/verification/sign-dispute.js';
import { isSmallOrder } from '../../contract/verification/strkey.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A signature of 64 bytes by a public key of 32. */
export interface Signed {
  signature: Uint8Array;
  publicKey: Uint8Array;
}

/** The input has the wrong length for a signature or a public key; input parsers should catch that earlier. */
export class Ed25519InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Ed25519InputError';
  }
}

/** Whether the signature is over exactly this message. Throws Ed25519InputError on a wrong length. */
export function verifySignature(signed: Signed, message: Uint8Array): boolean {
  return isOverOneOf(signed, [message]);
}

/**
 * Whether a dispute's signature is over intentHash (64 lower-case hex digits), in one of three forms: the SEP-53 hash of
 * the text; the text itself; or, because some signers make nothing else, the 32 bytes. Throws Ed25519InputError on a
 * wrong length, and RangeError on another intentHash.
 */
export function verifyDispute(signed: Signed, intentHash: string): boolean {
  const raw = fromHex(intentHash);
  if (raw.length !== KEY_BYTES) throw new RangeError('intentHash must be 64 lower-case hex digits');
  return isOverOneOf(signed, [sep53Hash(intentHash), utf8(intentHash), raw]);
}

/**
 * Two verifiers must accept the same message. OpenSSL checks the equation without the cofactor but accepts small-order
 * and non-canonical keys; @noble/ed25519 refuses those but checks with the cofactor. Together they accept what RFC 8032
 * meant, and nothing that libraries disagree on (eprint 2020/1244). OpenSSL goes first, because it takes a tenth of the
 * time: a false signature costs 0.1 ms.
 */
function isOverOneOf({ signature, publicKey }: Signed, messages: readonly Uint8Array[]): boolean {
  assertLength('a signature', signature, SIGNATURE_BYTES);
  assertLength('a public key', publicKey, KEY_BYTES);
  if (isSmallOrder(publicKey)) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return messages.some(
    (message) => verify(null, message, key, signature) && verifyEd25519(signature, message, publicKey),
  );
}

function assertLength(what: string, { length }: Uint8Array, expected: number): void {
  if (length !== expected) throw new Ed25519InputError(`${what} has ${expected} bytes, not ${length}`);
}
