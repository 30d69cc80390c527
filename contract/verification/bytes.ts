import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

/** Text and bytes, the same in a browser and in Node. Decoders of hex and base64 are strict: one value has one spelling. */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Throws TypeError on bytes that are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  return concatBytes(...parts);
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/** Lower-case hex → bytes. Throws RangeError on anything else. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text))
    throw new RangeError('must be lower-case hex digits');
  return hexToBytes(text);
}

/** Base64 with the standard alphabet and padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Standard alphabet, padded, spare bits zero → bytes. Throws RangeError on any other spelling. */
export function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new RangeError('must be standard base64 with padding');
  }
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (toBase64(bytes) !== text) throw new RangeError('must be standard base64 with padding');
  return bytes;
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, upper case, without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet.charAt(buffer >> bits);
      buffer &= (1 << bits) - 1;
    }
  }
  if (bits > 0) text += base32Alphabet.charAt(buffer << (5 - bits));
  return text;
}

/** Decodes upper-case base32 without padding; bits that fill no byte are dropped. Null for any other character. */
export function fromBase32(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let at = 0;
  let buffer = 0;
  let bits = 0;
  for (const character of text) {
    const value = base32Alphabet.indexOf(character);
    if (value < 0) return null;
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at] = buffer >> bits;
      at += 1;
      buffer &= (1 << bits) - 1;
    }
  }
  return bytes;
}

/** Takes the same time wherever the bytes differ; only a difference of the lengths can be inferred from the time. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}
