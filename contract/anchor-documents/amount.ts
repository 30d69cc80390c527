import { Decimal } from 'decimal.js';

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
