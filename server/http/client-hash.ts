import { createHash } from 'node:crypto';

/** 24 bits: some 256 IPv4 addresses share each value. */
const hexDigits = 6;

/**
 * The form in which a client may be stored, so that stored work can be shared out fairly: the first 24 bits of the
 * SHA-256 of its client key (client-key.ts). Equal clients have equal values, but a value names no address: 256 IPv4
 * addresses have the same. Two clients that share a value by chance only share their turns.
 */
export function clientHash(clientKey: string): string {
  return createHash('sha256').update(`fairlead.client.v1|${clientKey}`).digest('hex').slice(0, hexDigits);
}
