import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fromBase64, fromHex, toBase64, toHex } from '../../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519, verifyEd25519 } from '../../../contract/verification/ed25519.js';
import { sep53Hash } from '../../../contract/verification/sep53.js';
import { signDispute } from '../../../contract/verification/sign-dispute.js';
import {
  decodePublicKey,
  decodeSecretKey,
  encodePublicKey,
  StrkeyError,
} from '../../../contract/verification/strkey.js';
import sep53 from '../../vectors/sep53.json' with { type: 'json' };

const seed = fromHex(sep53.seed);

/** Signs with OpenSSL rather than with the library under test. */
function signedByOpenSsl(message: Uint8Array): string {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return sign(null, message, key).toString('base64');
}

describe('SEP-53', () => {
  it('derives the key pair of the vectors', () => {
    expect(toHex(decodeSecretKey(sep53.secretKey))).toBe(sep53.seed);
    expect(encodePublicKey(publicKeyOf(seed))).toBe(sep53.account);
  });

  it.each(sep53.cases)(
    'gives the hash and signature of the vector $text$base64',
    ({ text, base64, hash, signature }) => {
      const digest = sep53Hash(text ?? fromBase64(base64 ?? ''));
      expect(toHex(digest)).toBe(hash);
      expect(toBase64(signEd25519(digest, seed))).toBe(signature);
      expect(verifyEd25519(fromBase64(signature), digest, decodePublicKey(sep53.account))).toBe(true);
    },
  );
});

describe('signDispute', () => {
  const dispute = { intentHash: 'ab'.repeat(32), anchorId: 'cowrie', reason: 'The naira never came.' };

  it('returns a complete body, signed over the SEP-53 hash of the intent hash as text', () => {
    const body = signDispute({ ...dispute, secretKey: seed });
    expect(body).toEqual({
      ...dispute,
      publicKey: sep53.account,
      signature: signedByOpenSsl(sep53Hash(dispute.intentHash)),
    });
  });

  it('accepts the seed as bytes or as S… text', () => {
    expect(signDispute({ ...dispute, secretKey: sep53.secretKey })).toEqual(
      signDispute({ ...dispute, secretKey: seed }),
    );
  });

  it('refuses an intent hash of another form and a malformed secret', () => {
    for (const intentHash of ['AB'.repeat(32), 'ab'.repeat(31), `0x${'ab'.repeat(31)}`, '']) {
      expect(() => signDispute({ ...dispute, intentHash, secretKey: seed })).toThrow(RangeError);
    }
    expect(() => signDispute({ ...dispute, secretKey: sep53.account })).toThrow(StrkeyError);
    expect(() => signDispute({ ...dispute, secretKey: seed.slice(1) })).toThrow(RangeError);
  });
});
