import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64, fromHex, toHex, utf8 } from '../../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519, verifyEd25519 } from '../../../contract/verification/ed25519.js';
import { Ed25519InputError, verifyDispute, verifySignature } from '../../../server/crypto/ed25519.js';
import { ada, forms, signatureIn } from '../../fixtures/disputes/dispute-values.js';
import rfc8032 from '../../vectors/rfc8032.json' with { type: 'json' };
import speccheck from '../../vectors/speccheck.json' with { type: 'json' };
import wycheproof from '../../vectors/wycheproof-ed25519.json' with { type: 'json' };
import zip215 from '../../vectors/zip215-small-order.json' with { type: 'json' };

/** A signature of a wrong length counts as refused: no such signature passes the parser. */
function isAccepted(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return verifySignature({ signature, publicKey }, message);
  } catch (error) {
    if (error instanceof Ed25519InputError) return false;
    throw error;
  }
}

describe('RFC 8032', () => {
  it.each(rfc8032.cases)('$name gives the same key and signature, which is accepted', (vector) => {
    const [seed, message] = [fromHex(vector.secretKey), fromHex(vector.message)];
    expect(toHex(publicKeyOf(seed))).toBe(vector.publicKey);
    expect(toHex(signEd25519(message, seed))).toBe(vector.signature);
    expect(isAccepted(fromHex(vector.signature), message, fromHex(vector.publicKey))).toBe(true);
  });
});

describe('Wycheproof', () => {
  it('has its 150 tests', () => expect(wycheproof.cases).toHaveLength(150));

  it.each(wycheproof.cases)('$id $comment: $valid', (vector) => {
    const given = [vector.signature, vector.message, vector.publicKey].map(fromHex);
    const [signature = new Uint8Array(), message = new Uint8Array(), publicKey = new Uint8Array()] = given;
    expect(isAccepted(signature, message, publicKey)).toBe(vector.valid);
  });
});

describe('speccheck', () => {
  it.each(speccheck.cases)('case $case, $about: strict noble $noble, and OpenSSL as well $both', (vector) => {
    const [signature, message] = [fromHex(vector.signature), fromHex(vector.message)] as const;
    const key = fromHex(vector.publicKey);
    expect(verifyEd25519(signature, message, key)).toBe(vector.noble);
    expect(isAccepted(signature, message, key)).toBe(vector.both);
  });
});

it('a forgery under a small-order key is refused for every pair of key and R that ZIP-215 accepts, whatever the message', () => {
  expect(zip215.cases).toHaveLength(196);
  const intentHash = 'ab'.repeat(32);
  for (const vector of zip215.cases) {
    const [signature, publicKey] = [fromHex(vector.signature), fromHex(vector.publicKey)] as const;
    for (const message of [fromHex(zip215.message), utf8(intentHash)]) {
      expect(isAccepted(signature, message, publicKey)).toBe(false);
      expect(verifyEd25519(signature, message, publicKey)).toBe(false);
    }
    expect(verifyDispute({ signature, publicKey }, intentHash)).toBe(false);
  }
});

describe('verifySignature', () => {
  it('accepts what was signed, and nothing once a bit of signature, message or key is changed', () => {
    const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
    fc.assert(
      fc.property(bytes(32), bytes(1, 100), fc.nat(), (seed, message, at) => {
        const publicKey = publicKeyOf(seed);
        const signature = signEd25519(message, seed);
        expect(isAccepted(signature, message, publicKey)).toBe(true);
        for (const changed of [0, 1, 2]) {
          const parts = [signature, message, publicKey].map((part) => Uint8Array.from(part));
          const part = parts[changed] ?? new Uint8Array(0);
          const byte = at % part.length;
          part[byte] = (part[byte] ?? 0) ^ (1 << (at % 8));
          const [s = signature, m = message, k = publicKey] = parts;
          expect(isAccepted(s, m, k)).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('rejects a signature or key of a wrong length by name instead of calling it false', () => {
    const message = utf8('x');
    for (const length of [0, 63, 65, 128]) {
      const signed = { signature: new Uint8Array(length), publicKey: new Uint8Array(32) };
      expect(() => verifySignature(signed, message)).toThrow(Ed25519InputError);
    }
    for (const length of [0, 31, 33, 64]) {
      const signed = { signature: new Uint8Array(64), publicKey: new Uint8Array(length) };
      expect(() => verifySignature(signed, message)).toThrow(Ed25519InputError);
    }
  });
});

describe('verifyDispute', () => {
  const intentHash = '0123456789abcdef'.repeat(4);
  const publicKey = publicKeyOf(ada.secretKey);

  it.each(forms)('accepts a signature in the form %s, for this intent hash and key alone', (form) => {
    const signature = fromBase64(signatureIn(form, intentHash, ada));
    expect(verifyDispute({ signature, publicKey }, intentHash)).toBe(true);
    expect(verifyDispute({ signature, publicKey }, 'ab'.repeat(32))).toBe(false);
    expect(verifyDispute({ signature, publicKey: publicKeyOf(randomBytes(32)) }, intentHash)).toBe(false);
  });

  it.each(['', 'ab', 'AB'.repeat(32), 'zz'.repeat(32), 'ab'.repeat(33)])(
    'rejects an intent hash of another form: %j',
    (text) => {
      const signed = { signature: new Uint8Array(64), publicKey };
      expect(() => verifyDispute(signed, text)).toThrow(RangeError);
    },
  );
});
