import { fromBase32, fromHex, toBase32, toHex } from './bytes.js';

/**
 * Stellar keys as text, SEP-23: base32 (RFC 4648, upper case, no padding) of version byte, 32 key bytes and a
 * CRC16-XMODEM in little-endian order. 35 bytes give exactly 56 characters, so there are no spare bits.
 */

const KEY_BYTES = 32;
const TEXT_LENGTH = 56;
const PUBLIC_KEY_VERSION = 6 << 3;
const SECRET_SEED_VERSION = 18 << 3;

/** The other kinds of strkeys by first letter, described for messages. */
const otherKinds: Readonly<Record<string, string>> = {
  M: 'is a muxed account (M…): give the G… account behind it',
  C: 'is a contract (C…): a contract has no Ed25519 key, give a G… account',
  S: 'is a secret seed (S…): never send it to anyone',
  T: 'is a pre-authorised transaction hash (T…), not a public key',
  X: 'is a hash signer (X…), not a public key',
  P: 'is a signed payload signer (P…), not a public key',
  L: 'is a liquidity pool (L…), not a public key',
  B: 'is a claimable balance (B…), not a public key',
};

export type StrkeyFault = 'other_kind' | 'length' | 'alphabet' | 'version' | 'checksum' | 'form';

/** Thrown for a text that is not the expected key. The message never repeats the text: it may be a secret. */
export class StrkeyError extends Error {
  readonly fault: StrkeyFault;

  constructor(fault: StrkeyFault, message: string) {
    super(message);
    this.name = 'StrkeyError';
    this.fault = fault;
  }
}

function crc16Xmodem(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc;
}

function encode(version: number, key: Uint8Array): string {
  if (key.length !== KEY_BYTES) {
    throw new StrkeyError('length', `a key has ${KEY_BYTES} bytes, not ${key.length}`);
  }
  const bytes = new Uint8Array(KEY_BYTES + 3);
  bytes[0] = version;
  bytes.set(key, 1);
  const crc = crc16Xmodem(bytes.subarray(0, KEY_BYTES + 1));
  bytes[KEY_BYTES + 1] = crc & 0xff;
  bytes[KEY_BYTES + 2] = crc >> 8;
  return toBase32(bytes);
}

function decode(version: number, letter: string, text: string): Uint8Array {
  if (text.length !== TEXT_LENGTH) {
    throw new StrkeyError('length', `must have ${TEXT_LENGTH} characters, not ${text.length}`);
  }
  const bytes = fromBase32(text);
  if (bytes === null) throw new StrkeyError('alphabet', 'must consist of the characters A-Z and 2-7 only');
  if (bytes[0] !== version) {
    throw new StrkeyError(
      'version',
      `must be a ${letter}… key of algorithm Ed25519 (its first two characters are wrong)`,
    );
  }
  const key = bytes.slice(1, KEY_BYTES + 1);
  // SEP-23: a decoder re-encodes and compares, which checks the checksum and excludes other spellings at once.
  if (encode(version, key) !== text) {
    throw new StrkeyError('checksum', 'has a wrong checksum: a character is mistyped');
  }
  return key;
}

/** 32 key bytes → `G…`, 56 characters. Throws StrkeyError on another length. */
export function encodePublicKey(key: Uint8Array): string {
  return encode(PUBLIC_KEY_VERSION, key);
}

/** `G…` → its 32 key bytes, strictly. Throws StrkeyError, with the reason for `M…`, `C…`, `S…` and the like. */
export function decodePublicKey(text: string): Uint8Array {
  const other = text.length >= TEXT_LENGTH && /^[A-Z2-7]+$/.test(text) && otherKinds[text.charAt(0)];
  if (other) throw new StrkeyError('other_kind', other);
  return decode(PUBLIC_KEY_VERSION, 'G', text);
}

/** 32 seed bytes → `S…`. Throws StrkeyError on another length. */
export function encodeSecretKey(seed: Uint8Array): string {
  return encode(SECRET_SEED_VERSION, seed);
}

/** `S…` → its 32 seed bytes, strictly. Throws StrkeyError. */
export function decodeSecretKey(text: string): Uint8Array {
  return decode(SECRET_SEED_VERSION, 'S', text);
}

/**
 * `G…` or 64 hex digits of either case → one canonical account and its 32 key bytes. Throws StrkeyError.
 * It checks the spelling alone; `isSmallOrder` and the verifier decide whether the bytes are a usable key.
 */
export function parsePublicKey(text: string): { account: string; key: Uint8Array } {
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    const key = fromHex(text.toLowerCase());
    return { account: encodePublicKey(key), key };
  }
  if (text.length < TEXT_LENGTH || !/^[A-Z]/.test(text)) {
    throw new StrkeyError('form', 'must be a G… account of 56 characters or 64 hex digits');
  }
  return { account: text, key: decodePublicKey(text) };
}

/**
 * The y coordinates of the points of order 1, 2, 4 and 8, little-endian, sign bit clear: 0, 1, p-1, the two of order
 * 8, and the spellings p and p+1 of 0 and 1. With either sign bit they are every encoding of a small-order key.
 */
const smallOrderY: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** Whether these 32 bytes spell a small-order key, under which signatures that hold for any message can be forged. */
export function isSmallOrder(key: Uint8Array): boolean {
  const y = Uint8Array.from(key);
  y[KEY_BYTES - 1] = (y[KEY_BYTES - 1] ?? 0) & 0x7f;
  return smallOrderY.has(toHex(y));
}
