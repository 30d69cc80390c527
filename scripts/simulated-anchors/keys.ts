import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { encodePublicKey } from '../../contract/verification/strkey.js';

/** DER before the 32-byte seed of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SimulatedKey {
  /** `G…`. */
  address: string;
  /** Ed25519 over the bytes as they are, base64. */
  sign(message: string): string;
}

function privateKeyOf(label: string): KeyObject {
  const seed = createHash('sha256').update(`fairlead simulated key: ${label}`).digest();
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
}

/** A key fixed by its label, so that an anchor keeps its identity over restarts. Anybody can derive it: no secret. */
export function simulatedKey(label: string): SimulatedKey {
  const privateKey = privateKeyOf(label);
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    address: encodePublicKey(new Uint8Array(spki.subarray(-32))),
    sign: (message) => sign(null, Buffer.from(message, 'utf8'), privateKey).toString('base64'),
  };
}

/** The partner token of a simulated anchor, fixed by its id for the same reason; as little a secret. */
export function simulatedPartnerToken(anchorId: string): string {
  const digest = createHash('sha256').update(`fairlead simulated partner token: ${anchorId}`).digest('hex');
  return `partner-${digest.slice(0, 40)}`;
}
