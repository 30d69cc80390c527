import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { standardSecret } from '../../../contract/verification/verify-webhook.js';
import { formsOf } from '../../../server/webhooks/secrets.js';
import { answerBytes, excerptOf } from '../../../server/webhooks/sender.js';

const secret = 'correct "horse" battery staple';
const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('excerptOf', () => {
  it('keeps plain text as it is', () => {
    expect(excerptOf(bytes('OK: got it (1/2), thanks!'), formsOf(secret))).toBe('OK: got it (1/2), thanks!');
  });

  it('escapes what a page, a terminal or a log could interpret', () => {
    expect(excerptOf(bytes('<b>&"\\\u001b[31m\n\u202e€'), formsOf(secret))).toBe(
      '\\x3cb\\x3e\\x26\\x22\\x5c\\x1b[31m\\x0a\\xe2\\x80\\xae\\xe2\\x82\\xac',
    );
  });

  it('is printable ASCII without markup, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: answerBytes }), (answer) => {
        expect(excerptOf(answer, formsOf(secret))).toMatch(/^[\x20-\x7e]*$/);
        expect(excerptOf(answer, formsOf(secret))).not.toMatch(/[<>&"]|\\(?!x[0-9a-f]{2})/);
      }),
    );
  });

  it('keeps the first 1,024 bytes', () => {
    expect(excerptOf(bytes('x'.repeat(answerBytes)), formsOf(secret))).toBe('x'.repeat(1_024));
  });

  it('cuts out a secret that the receiver echoes, in every form', () => {
    const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const forms = [secret, JSON.stringify(secret), standardSecret(secret), whsec, whsec.slice(6)];
    const excerpt = excerptOf(bytes(forms.join(' | ')), [secret, whsec].flatMap(formsOf));
    expect(excerpt.match(/\[secret\]/g)).toHaveLength(5);
    for (const word of ['horse', 'staple', standardSecret(secret).slice(6, 20), 'MfKQ'])
      expect(excerpt).not.toContain(word);
  });

  it('holds no part of a secret that begins after 1,024 bytes, even if replaced secrets leave room for it', () => {
    const long = 's3cr3t+'.repeat(40).slice(0, 256);
    const answer = bytes('x'.repeat(100) + long.repeat(6)).subarray(0, answerBytes);
    expect(excerptOf(answer, formsOf(long))).toBe('x'.repeat(100) + '[secret]'.repeat(4));
  });

  it('cuts out a secret that begins inside the excerpt and ends after it', () => {
    for (const secretLength of [16, 100, 256]) {
      const long = 's3cr3t+'.repeat(40).slice(0, secretLength);
      for (const form of [long, standardSecret(long)]) {
        const answer = bytes('x'.repeat(1_020) + form).subarray(0, answerBytes);
        expect(excerptOf(answer, formsOf(long))).toBe(`${'x'.repeat(1_020)}[sec`);
      }
    }
  });
});
