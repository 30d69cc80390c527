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
import { CanonicalJsonError, canonicalJson } from '../../../contract/verification/canonical-json.js';
import { utcInstant } from '../../../contract/verification/instant.js';
import { expectFor } from '../../support/expect-for.js';
import jcs from '../../vectors/jcs.json' with { type: 'json' };

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
    const texts = ['MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'];
    for (const [place, base32] of texts.entries()) {
      const bytes = utf8('foobar'.slice(0, place + 1));
      expect([toBase32(bytes), fromBase32(base32)]).toEqual([base32, bytes]);
    }
    for (const wrong of ['my', 'M1', 'MZXW6YQ=', 'M é']) expect(fromBase32(wrong)).toBeNull();
  });

  it('have one spelling in base64, its spare bits and padding included, and in hex', () => {
    const padded = ['QR==', 'QUI', 'QUJ=', 'Q===', '====', 'Q Q=', 'QQ==\n', 'Q-__', 'QQ==QQ=='];
    for (const text of ['QQ', 'QQ=', ...padded]) expect(() => fromBase64(text)).toThrow(RangeError);
    for (const text of ['a', 'AB', '0x', 'zz', 'ab ', 'ab\n'])
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

describe('canonicalJson', () => {
  it.each(jcs.cases)('writes the reference vector $name to the byte', ({ input, output, outputHex }) => {
    const text = canonicalJson(JSON.parse(input));
    expect(text).toBe(output.trimEnd());
    expect(toHex(utf8(text))).toBe(outputHex);
  });

  it('sorts members by UTF-16 code units, not by code points', () => {
    // U+1F602 is d83d de02 in UTF-16 and sorts before U+FB33, though its code point is the larger.
    expect(canonicalJson({ '\ufb33': 1, '\u{1f602}': 2, a: 3 })).toBe('{"a":3,"\u{1f602}":2,"\ufb33":1}');
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  const refused: [string, unknown][] = [
    ['undefined', undefined],
    ['NaN', { a: Number.NaN }],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a lone high surrogate', { a: 'x\ud800' }],
    ['a lone low surrogate in a key', { '\udc00': 1 }],
    ['undefined in an array', [undefined]],
    ['a hole in an array', new Array(1)],
    ['a function', { a: () => 1 }],
    ['a symbol', { a: Symbol('a') }],
    ['a bigint', { a: 1n }],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['an object with toJSON', { toJSON: () => 1 }],
    ['a value that contains itself', circular],
    ['nesting without end', JSON.parse('['.repeat(2000) + ']'.repeat(2000))],
  ];
  it.each(refused)('refuses %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalJsonError);
  });

  it('refuses numbers that are not safe integers under integersOnly', () => {
    for (const value of [0.5, 2 ** 53, -(2 ** 53), 1e300]) {
      expect(() => canonicalJson({ value }, { integersOnly: true })).toThrow(CanonicalJsonError);
    }
    expect(canonicalJson({ value: 2 ** 53 - 1 }, { integersOnly: true })).toBe('{"value":9007199254740991}');
  });

  it('is read back by JSON.parse, and is unchanged when written again', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = canonicalJson(value);
        const parsed: unknown = JSON.parse(text);
        expect(parsed).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(parsed)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an instant that a client sends', () => {
  it.each([
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00.5Z', '2026-11-21T09:30:00.500Z'],
    ['2026-11-21T09:30:00.123456789Z', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21T00:30:00+01:00', '2026-11-20T23:30:00.000Z'],
    ['2026-12-31T20:30:00-05:45', '2027-01-01T02:15:00.000Z'],
    ['2028-02-29T00:00:00.000-00:00', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (sent, expected) => expect(utcInstant(sent)).toBe(expected));

  it('is none in another form, or where there is no such day or hour', () => {
    const ends = ['', 'z', '.Z', '.1234567890Z', '+0100', '+24:00'].map((end) => `2026-11-21T09:30:00${end}`);
    const others = ['2026-11-21', '2026-11-21T09:30Z', '2026-11-21 09:30:00Z', ' 2026-11-21T09:30:00Z'];
    const days = ['2026-11-31T09:30:00Z', '2027-02-29T09:30:00+01:00', '9999-12-31T23:59:59-01:00'];
    const hours = ['2026-11-21T24:00:00Z', '2026-11-21T23:59:60Z'];
    for (const sent of [...ends, ...others, ...days, ...hours]) expectFor(sent, utcInstant(sent)).toBeNull();
  });

  it('in the form of the answers is left as it is', () => {
    const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => expect(utcInstant(date.toISOString())).toBe(date.toISOString())));
  });
});
