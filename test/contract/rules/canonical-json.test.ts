import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex, utf8 } from '../../../contract/verification/bytes.js';
import { CanonicalJsonError, canonicalJson } from '../../../contract/verification/canonical-json.js';
import jcs from '../../vectors/jcs.json' with { type: 'json' };

function fromBits(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? Number.NaN;
}

/** The published sequence of doubles: edge cases, 2,000 serial ones, then chained SHA-256 of 32 zero bytes. */
function* publishedDoubles(): Generator<bigint> {
  for (const hex of jcs.numbers.start.split(' ')) yield BigInt(`0x${hex}`);
  for (let serial = 0n; serial < 2000n; serial += 1n) yield 0x0010000000000000n + serial;
  let block = Buffer.alloc(32);
  for (;;) {
    block = createHash('sha256').update(block).digest();
    for (let offset = 0; offset < 32; offset += 8) {
      const value = block.readDoubleLE(offset);
      if (value !== 0 && Number.isFinite(value)) yield block.readBigUInt64LE(offset);
    }
  }
}

function hashOfLines(count: number): string {
  const hash = createHash('sha256');
  let line = 0;
  for (const bits of publishedDoubles()) {
    if (line === count) break;
    hash.update(`${bits.toString(16)},${canonicalJson(fromBits(bits))}\n`);
    line += 1;
  }
  return hash.digest('hex');
}

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

  it.each(jcs.numbers.samples)('writes the double %s as %s', (bits, text) => {
    expect(canonicalJson(fromBits(BigInt(`0x${bits}`)))).toBe(text);
  });

  it.each(Object.entries(jcs.numbers.sha256OfLines))(
    'writes the first %s doubles of the published sequence so that their hash agrees',
    (count, hash) => {
      expect(hashOfLines(Number(count))).toBe(hash);
    },
  );

  it('leaves out members that are undefined', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
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
