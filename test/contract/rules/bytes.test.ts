import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  equalInConstantTime,
  fromBase32,
  fromBase64,
  fromHex,
  fromUtf8,
  toBase32,
  toBase64,
  toHex,
  utf8,
} from '../../../contract/verification/bytes.js';

describe('bytes as text', () => {
  it('are encoded and decoded as Node does it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
        expect(fromBase32(toBase32(bytes))).toEqual(bytes);
      }),
      { numRuns: 200 },
    );
  });

  it('in base32 are those of RFC 4648, section 10, without padding', () => {
    for (const [text, base32] of [
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const) {
      expect([toBase32(utf8(text)), fromBase32(base32)]).toEqual([base32, utf8(text)]);
    }
    for (const wrong of ['my', 'M1', 'MZXW6YQ=', 'M é']) expect(fromBase32(wrong)).toBeNull();
  });

  it.each(['QQ', 'QQ=', 'QR==', 'QUI', 'QUJ=', 'Q===', '====', 'Q Q=', 'QQ==\n', 'Q-__', 'QQ==QQ=='])(
    'have one base64 spelling: %j is refused, its spare bits and padding included',
    (text) => {
      expect(() => fromBase64(text)).toThrow(RangeError);
    },
  );

  it.each(['a', 'AB', '0x', 'zz', 'ab ', 'ab\n'])('have one hex spelling: %j is refused', (text) => {
    expect(() => fromHex(text)).toThrow(RangeError);
  });

  it('refuse bytes that are not UTF-8, and keep a byte order mark', () => {
    expect(() => fromUtf8(Uint8Array.of(0xff))).toThrow(TypeError);
    expect(fromUtf8(utf8('\ufeff₦'))).toBe('\ufeff₦');
  });

  it('are equal only with the same length and every byte the same', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(equalInConstantTime(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
    for (const other of [[], [1, 2], [1, 2, 3, 0], [1, 2, 2], [0, 2, 3]]) {
      expect(equalInConstantTime(bytes, Uint8Array.from(other))).toBe(false);
    }
  });
});
