import { Decimal } from 'decimal.js';
import { toHex, utf8 } from '../verification/bytes.js';

/** What is there but cannot be read. It is told, and never taken for absent, which is null. */
export const unreadable = Symbol('unreadable');

export type Read<T> = T | null | typeof unreadable;

/** More than any currency needs, and few enough that no exponent becomes an endless text. */
const mostDigits = 40;
const mostChars = 100;
const decimalForm = /^(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?$/i;

/**
 * An amount, a price or a fee as a plain decimal without trailing zeros. Anchors write strings and numbers, with exponents
 * (`1E+2`, as decimal libraries of Java and Python print), padded with zeros, and with up to 40 digits. Signs, commas and
 * words are unreadable.
 */
export function readAmount(value: unknown): Read<string> {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : 'x';
  if (text === '') return null;
  if (text.length > mostChars || !decimalForm.test(text)) return unreadable;
  const amount = new Decimal(text);
  if (amount.isZero()) return '0';
  const isBounded = amount.sd() <= mostDigits && Math.abs(amount.e) < mostDigits;
  return isBounded ? amount.toFixed() : unreadable;
}

/** The readable value of a member that decides nothing where it cannot be read. */
export function orAbsent<T>(read: Read<T>): T | null {
  return read === unreadable ? null : read;
}

/**
 * Whether an anchor that writes `named` means this asset (SEP-38 form). Anchors also write `USDC:G…` or `NGN`, and the
 * native asset as `XLM`; an example of SEP-38 ends with a stray `&`. An issuer or a scheme that is named has to be the right one.
 */
export function isAsset(named: string, expected: string): boolean {
  const [scheme = '', code = '', issuer] = expected.split(':');
  const parts = named.trim().replace(/&$/, '').split(':');
  const [toldCode = '', ...rest] = parts[0]?.toLowerCase() === scheme ? parts.slice(1) : parts;
  const isFiat = scheme === 'iso4217';
  const sameCode = isFiat ? toldCode.toUpperCase() === code : toldCode === code;
  const isNative = code === 'native' && toldCode === 'XLM';
  return (sameCode || isNative) && (rest.length === 0 || (rest.length === 1 && rest[0] === issuer));
}

const isoInstant =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** ISO 8601; without an offset it is UTC, where `Date.parse` would take the zone of this machine. */
export function instantMs(value: unknown): number | null {
  const match = typeof value === 'string' ? isoInstant.exec(value.trim()) : null;
  if (match === null) return null;
  const [, day = '', time = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}

const memoTypes = ['text', 'id', 'hash', 'return'] as const;

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

/** Null for what is no URL. Not by `URL.canParse`: once compiled, that of Node 20 refuses international names. */
export function parseUrl(text: unknown): URL | null {
  try {
    return new URL(String(text));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
