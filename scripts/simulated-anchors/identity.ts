import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { decodePublicKey, encodePublicKey, StrkeyError } from '../../contract/verification/strkey.js';

/** DER before the 32-byte seed of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SimulatedKey {
  /** `G…`. */
  address: string;
  /** 32 bytes. */
  seed: Uint8Array;
  /** Ed25519 over the text's bytes, base64. */
  sign(message: string): string;
}

/** A key derived from its label, so that an anchor keeps its identity over restarts. It is not secret. */
export function simulatedKey(label: string): SimulatedKey {
  const seed = createHash('sha256').update(`fairlead simulated key: ${label}`).digest();
  const der = Buffer.concat([pkcs8Head, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    address: encodePublicKey(new Uint8Array(spki.subarray(-32))),
    seed: new Uint8Array(seed),
    sign: (message) => sign(null, Buffer.from(message, 'utf8'), privateKey).toString('base64'),
  };
}

/** The partner token of a simulated anchor, derived from its id for the same reason and no more secret. */
export function simulatedPartnerToken(anchorId: string): string {
  const digest = createHash('sha256').update(`fairlead simulated partner token: ${anchorId}`).digest('hex');
  return `partner-${digest.slice(0, 40)}`;
}

/** True for a well-formed `G…` key. */
export function isAccount(text: string): boolean {
  try {
    decodePublicKey(text);
    return true;
  } catch (error) {
    if (error instanceof StrkeyError) return false;
    throw error;
  }
}

/** `Bearer x` → `x`; null for anything else. */
export function bearerOf(authorization = ''): string | null {
  return /^Bearer ([\x21-\x7e]{1,512})$/.exec(authorization)?.[1] ?? null;
}

/** Who sends a request: `partner` is the operator of the service with its token, anything else the account of a wallet. */
export type Caller = 'partner' | `G${string}`;

/**
 * Reads the bearer token. A wallet's is `sim.<G account>.<anything>`, in place of the JWT that SEP-10 would give. It is
 * not signed and proves nothing, which is good enough for a simulation.
 */
export function callerOf(partnerToken: string | null, authorization?: string): Caller | null {
  const bearer = bearerOf(authorization);
  if (bearer === null) return null;
  if (bearer === partnerToken) return 'partner';
  const account = /^sim\.(G\w+)\./.exec(bearer)?.[1] ?? '';
  return isAccount(account) ? (account as Caller) : null;
}
