import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import {
  type BatchHeader,
  type BatchKey,
  batchKeyId,
  batchSigningBytes,
  verifyBatch,
} from '../../../contract/verification/verify-batch.js';

export interface Signer extends BatchKey {
  /** Base64. Throws Error if the signature does not verify: a faulty one must not get into the chain. */
  sign(header: BatchHeader): string;
}

/** The bytes that precede the 32 bytes of a seed in PKCS #8 (RFC 8410 section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: 64 hex digits. Signs with OpenSSL and checks with the verifier that clients use. */
export function createSigner(seed: string): Signer {
  const secretKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, Buffer.from(seed, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = createPublicKey(secretKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const key = publicBatchKey(raw);
  return {
    ...key,
    sign(header) {
      const signature = sign(null, batchSigningBytes(header), secretKey).toString('base64');
      const verdict = verifyBatch({ header, signature, keys: [key] });
      if (!verdict.ok) throw new Error(`the batch just signed does not verify: ${verdict.reason}`);
      return signature;
    },
  };
}

/** A key as it is listed, from its 32 bytes. */
export function publicBatchKey(raw: Uint8Array): BatchKey {
  return { keyId: batchKeyId(raw), publicKey: encodePublicKey(raw) };
}
