import { toHex, utf8 } from '../verification/bytes.js';

export const memoTypes = ['text', 'id', 'hash', 'return'] as const;

export type MemoType = (typeof memoTypes)[number];

const mostTextBytes = 28;
const idBound = 2n ** 64n;

/**
 * The value of a memo as the ledger has it: an id without leading zeros, a hash as 64 lower-case hex digits. Undefined if it
 * is none of this type. SEP-24 and SEP-6 write hashes in base64; anchors also leave out its padding, or write hex.
 */
export function readMemo(type: MemoType, value: string): string | undefined {
  if (type === 'text') return utf8(value).length <= mostTextBytes ? value : undefined;
  if (type === 'id') {
    const id = /^\d{1,40}$/.test(value) ? BigInt(value) : idBound;
    return id < idBound ? id.toString() : undefined;
  }
  if (/^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return undefined;
  const bytes = atob(value.slice(0, 43).replaceAll('-', '+').replaceAll('_', '/'));
  return toHex(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
