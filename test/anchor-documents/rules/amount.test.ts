import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../../../contract/anchor-documents/json.js';
import {
  isAsset,
  type MemoType,
  readAmount,
  readMemo,
  unreadable,
} from '../../../contract/anchor-documents/values.js';

const vectors: { read: [unknown, string][]; unreadable: unknown[]; absent: unknown[] } = JSON.parse(
  readFileSync(new URL('../../vectors/anchor-amounts.json', import.meta.url), 'utf8'),
);

describe('an amount of an anchor', () => {
  it.each(vectors.read)('%j is read as %s', (written, plain) => expect(readAmount(written)).toBe(plain));

  it.each(vectors.unreadable.map((written) => ({ written })))(
    '$written is unreadable, not absent',
    ({ written }) => expect(readAmount(written)).toBe(unreadable),
  );

  it.each(vectors.absent)('%j is absent', (written) => expect(readAmount(written)).toBeNull());
});

const issuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const usdc = `stellar:USDC:${issuer}`;

describe('an asset of an anchor', () => {
  it.each([
    [usdc, usdc, true],
    [`USDC:${issuer}`, usdc, true],
    ['USDC', usdc, true],
    ['stellar:USDC', usdc, true],
    [` STELLAR:USDC:${issuer}`, usdc, true],
    ['usdc', usdc, false],
    ['EURC', usdc, false],
    [`EURC:${issuer}`, usdc, false],
    [`USDC:${issuer.replace('GA5Z', 'GA5X')}`, usdc, false],
    [`${usdc}:1`, usdc, false],
    ['iso4217:USDC', usdc, false],
    ['iso4217:NGN', 'iso4217:NGN', true],
    ['ngn', 'iso4217:NGN', true],
    ['KES', 'iso4217:NGN', false],
    ['native', 'stellar:native', true],
    ['XLM', 'stellar:native', true],
    [usdc, 'stellar:native', false],
    ['', usdc, false],
  ])('%j for %s: %j', (named, expected, same) => expect(isAsset(named, expected)).toBe(same));
});

const hex = '0123456789abcdef'.repeat(4);
const base64 = Buffer.from(hex, 'hex').toString('base64');

describe('a memo of an anchor', () => {
  it.each<[MemoType, string, string | undefined]>([
    ['hash', hex, hex],
    ['hash', hex.toUpperCase(), hex],
    ['hash', base64, hex],
    ['hash', base64.replace('=', ''), hex],
    ['hash', Buffer.from(hex, 'hex').toString('base64url'), hex],
    ['return', base64, hex],
    ['hash', base64.slice(4), undefined],
    ['hash', hex.slice(2), undefined],
    ['id', '186384', '186384'],
    ['id', '000186384', '186384'],
    ['id', '18446744073709551615', '18446744073709551615'],
    ['id', '18446744073709551616', undefined],
    ['id', 'x', undefined],
    ['text', ' order 7 ', ' order 7 '],
    ['text', 'é'.repeat(15), undefined],
  ])('of type %s: %s is %s', (type, written, value) => expect(readMemo(type, written)).toBe(value));
});

describe('JSON of an anchor', () => {
  it('keeps every digit of 64-bit integers, and skips a byte order mark', () => {
    const text =
      '\uFEFF{"id":9223372036854775807,"a":[-12345678901234567,1.234567890123456789e2],"b":"x\\"12345678901234567890","c":1e2}';
    expect(parseJson(text)).toEqual({
      id: '9223372036854775807',
      a: ['-12345678901234567', '1.234567890123456789e2'],
      b: 'x"12345678901234567890',
      c: 100,
    });
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});
