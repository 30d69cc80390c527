import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromHex, toHex } from '../../../contract/verification/bytes.js';
import { publicKeyText } from '../../../contract/verification/public-key.js';
import {
  decodePublicKey,
  decodeSecretKey,
  encodePublicKey,
  encodeSecretKey,
  isSmallOrder,
  parsePublicKey,
  StrkeyError,
} from '../../../contract/verification/strkey.js';
import { expectFor } from '../../support/expect-for.js';
import sep23 from '../../vectors/sep23.json' with { type: 'json' };
import zip215 from '../../vectors/zip215-small-order.json' with { type: 'json' };

function faultOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof StrkeyError) return error.fault;
    throw error;
  }
  return 'accepted';
}

describe('strkey', () => {
  it.each(sep23.accounts)('encodes and decodes: $from', ({ hex, account }) => {
    expect(encodePublicKey(fromHex(hex))).toBe(account);
    expect(toHex(decodePublicKey(account))).toBe(hex);
  });

  it.each(sep23.moreAccounts)('accepts and re-encodes the account %s', (account) => {
    expect(encodePublicKey(decodePublicKey(account))).toBe(account);
  });

  it.each(sep23.invalid)('refuses the malformed %s', (text) => {
    expect(() => decodePublicKey(text)).toThrow(StrkeyError);
    expect(() => parsePublicKey(text)).toThrow(StrkeyError);
    expect(publicKeyText.safeParse(text).success).toBe(false);
  });

  it.each(sep23.otherKinds)('refuses a strkey of another kind and says which: %s', (text) => {
    expect(faultOf(() => decodePublicKey(text))).toBe('other_kind');
    expect(faultOf(() => parsePublicKey(text))).toBe('other_kind');
    const message = publicKeyText.safeParse(text).error?.issues[0]?.message ?? '';
    expect(message).toContain(`(${text.charAt(0)}…)`);
    expect(message).not.toContain(text.slice(0, 8));
  });

  it.each(sep23.secretKeys)('decodes and re-encodes the secret seed %s', (text) => {
    expect(encodeSecretKey(decodeSecretKey(text))).toBe(text);
  });

  it.each(sep23.invalidSecretKeys)('refuses a malformed secret seed without repeating it: %s', (text) => {
    expect(() => decodeSecretKey(text)).toThrow(StrkeyError);
    expect(() => decodeSecretKey(text)).not.toThrow(new RegExp(text.slice(0, 8).replace(/\W/g, '')));
  });

  it('tells length, alphabet, version and checksum faults apart', () => {
    expect(faultOf(() => decodePublicKey('GAAAAAAAACGC6'))).toBe('length');
    expect(faultOf(() => decodePublicKey('GBPXX0A5N4JYPESHAADMQKBPWZWQDQ64ZV6ZL2S3LAGW4SY7NTCMWIVL'))).toBe(
      'alphabet',
    );
    expect(faultOf(() => decodePublicKey('G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I'))).toBe(
      'version',
    );
    expect(faultOf(() => decodePublicKey('GBPXXOA5N4JYPESHAADMQKBPWZWQDQ64ZV6ZL2S3LAGW4SY7NTCMWIVT'))).toBe(
      'checksum',
    );
    expect(faultOf(() => parsePublicKey('cowrie'))).toBe('form');
  });

  it('refuses keys of another length when encoding', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(() => encodePublicKey(new Uint8Array(length))).toThrow(StrkeyError);
    }
  });

  it('decodes what it encoded, for any 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        const text = encodePublicKey(key);
        expect(text).toMatch(/^G[A-Z2-7]{55}$/);
        expect(decodePublicKey(text)).toEqual(key);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses every account with one character changed, dropped, doubled or in lower case', () => {
    const account = sep23.accounts[0]?.account ?? '';
    for (let index = 0; index < account.length; index += 1) {
      const before = account.slice(0, index);
      const after = account.slice(index + 1);
      const own = account.charAt(index);
      const texts = [before + after, before + own + own + after];
      if (own !== own.toLowerCase()) texts.push(before + own.toLowerCase() + after);
      for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567') {
        if (other !== own) texts.push(before + other + after);
      }
      for (const text of texts) expectFor(text, () => decodePublicKey(text)).toThrow(StrkeyError);
    }
  });
});

describe('parsePublicKey', () => {
  it('gives one canonical form for a G account and for hex digits of either case', () => {
    for (const { hex, account } of sep23.accounts) {
      for (const text of [account, hex, hex.toUpperCase()]) {
        expect(parsePublicKey(text)).toEqual({ account, key: fromHex(hex) });
        expect(publicKeyText.safeParse(text).success).toBe(true);
      }
    }
  });

  it.each([
    '',
    ' ',
    '0x',
    'a'.repeat(63),
    'a'.repeat(65),
    'g'.repeat(64),
    `${'a'.repeat(64)}\n`,
    'A'.repeat(10_000),
  ])('refuses what is neither: %j', (text) => {
    expect(() => parsePublicKey(text)).toThrow(StrkeyError);
    expect(publicKeyText.safeParse(text).success).toBe(false);
  });
});

describe('isSmallOrder', () => {
  it('recognises each of the fourteen encodings that ZIP-215 lists', () => {
    const keys = new Set(zip215.cases.map((vector) => vector.publicKey));
    expect(keys.size).toBe(14);
    for (const key of keys) expectFor(key, isSmallOrder(fromHex(key))).toBe(true);
  });

  it('lets ordinary keys pass', () => {
    for (const account of sep23.moreAccounts) expect(isSmallOrder(decodePublicKey(account))).toBe(false);
  });
});
