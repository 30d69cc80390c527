import { describe, expect, it } from '@jest/globals';
import { createIntentBody } from '../../../contract/schemas/intents.js';
import { fromBase64, fromHex, toHex } from '../../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519, verifyEd25519 } from '../../../contract/verification/ed25519.js';
import {
  canonicalIntent,
  type IntentTerms,
  intentHash,
  newNonce,
} from '../../../contract/verification/intent-hash.js';
import { publicKeyText } from '../../../contract/verification/public-key.js';
import { sep53Hash, signDispute } from '../../../contract/verification/sign-dispute.js';
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
import sep53 from '../../vectors/sep53.json' with { type: 'json' };
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

  it.each([
    ['length', 'GAAAAAAAACGC6'],
    ['alphabet', 'GBPXX0A5N4JYPESHAADMQKBPWZWQDQ64ZV6ZL2S3LAGW4SY7NTCMWIVL'],
    ['version', 'G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I'],
    ['checksum', 'GBPXXOA5N4JYPESHAADMQKBPWZWQDQ64ZV6ZL2S3LAGW4SY7NTCMWIVT'],
  ])('has the fault `%s`: %s', (fault, text) => expect(faultOf(() => decodePublicKey(text))).toBe(fault));
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

  it('refuses what is neither', () => {
    expect(faultOf(() => parsePublicKey('cowrie'))).toBe('form');
    const digits = ['a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `${'a'.repeat(64)}\n`];
    for (const text of ['', ' ', '0x', ...digits, 'A'.repeat(10_000)]) {
      expect(() => parsePublicKey(text)).toThrow(StrkeyError);
      expect(publicKeyText.safeParse(text).success).toBe(false);
    }
  });
});

it('each of the fourteen encodings of small order that ZIP-215 lists is recognised, and no ordinary key', () => {
  const keys = new Set(zip215.cases.map(({ publicKey }) => publicKey));
  expect(keys.size).toBe(14);
  for (const key of keys) expectFor(key, isSmallOrder(fromHex(key))).toBe(true);
  for (const account of sep23.moreAccounts) expect(isSmallOrder(decodePublicKey(account))).toBe(false);
});

const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const terms: IntentTerms = {
  corridor: 'usdc-ngn',
  anchorId: 'cowrie',
  account,
  sellAmount: '100.50',
  nonce: 'nonce-of-22-characters',
};

describe('intentHash', () => {
  it('refuses an amount of another form', () => {
    for (const amount of ['-1', '+1', '1e3', '01', '.5', '5.', '', ' 1', '1,5', 'NaN', '1'.repeat(65)])
      for (const member of ['sellAmount', 'minReceive'])
        expectFor(amount, () => intentHash({ ...terms, [member]: amount })).toThrow(RangeError);
  });

  it('writes zero without places, and refuses a deadline that is no instant', () => {
    expect(canonicalIntent({ ...terms, sellAmount: '0.0' })).toContain('"sellAmount":"0"');
    expect(canonicalIntent({ ...terms, minReceive: undefined })).toBe(canonicalIntent(terms));
    expect(() => intentHash({ ...terms, expiresAt: '2026-11-31T09:30:00Z' })).toThrow(RangeError);
  });

  it('refuses an account that is no Ed25519 account', () => {
    const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
    expect(() => intentHash({ ...terms, account: muxed })).toThrow(StrkeyError);
  });
});

const seed = fromHex(sep53.seed);

describe('SEP-53', () => {
  const key = decodePublicKey(sep53.account);

  it('derives the key pair of the vectors', () => {
    expect(toHex(decodeSecretKey(sep53.secretKey))).toBe(sep53.seed);
    expect(encodePublicKey(publicKeyOf(seed))).toBe(sep53.account);
  });

  it.each(sep53.cases)('has the hash and signature of the vector $text$base64', (vector) => {
    const digest = sep53Hash(vector.text ?? fromBase64(vector.base64 ?? ''));
    const signature = fromBase64(vector.signature);
    expect(toHex(digest)).toBe(vector.hash);
    expect(signEd25519(digest, seed)).toEqual(signature);
    expect(verifyEd25519(signature, digest, key)).toBe(true);
    expect(verifyEd25519(signature.slice(1), digest, key)).toBe(false);
    expect(verifyEd25519(signature, digest, key.slice(1))).toBe(false);
  });
});

describe('signDispute', () => {
  const dispute = { intentHash: 'ab'.repeat(32), anchorId: 'cowrie', reason: 'The naira never came.' };

  it('refuses an intent hash of another form and a malformed secret', () => {
    for (const intentHash of ['AB'.repeat(32), 'ab'.repeat(31), `0x${'ab'.repeat(31)}`, ''])
      expect(() => signDispute({ ...dispute, intentHash, secretKey: seed })).toThrow(RangeError);
    expect(() => signDispute({ ...dispute, secretKey: sep53.account })).toThrow(StrkeyError);
    expect(() => signDispute({ ...dispute, secretKey: seed.slice(1) })).toThrow(RangeError);
  });
});

it('a new nonce has the form that an intent requires, whatever the random bytes, and no two are alike', () => {
  for (const byte of [0x00, 0x3e, 0x3f, 0xfb, 0xff]) {
    const nonce = newNonce((length) => new Uint8Array(length).fill(byte));
    expect(createIntentBody.shape.nonce.safeParse(nonce).success).toBe(true);
    expect(nonce).toHaveLength(32);
  }
  expect(new Set(Array.from({ length: 1_000 }, () => newNonce())).size).toBe(1_000);
});
