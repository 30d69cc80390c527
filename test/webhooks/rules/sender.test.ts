import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import vectors from '../../../contract/vectors/webhook.json' with { type: 'json' };
import { standardSecret, verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { formsOf } from '../../../server/webhooks/secrets.js';
import {
  answerBytes,
  deliveryHeaders,
  excerptOf,
  type SignedParts,
} from '../../../server/webhooks/sender.js';

const now = Date.parse('2026-11-21T09:30:00.000Z');
const parts: SignedParts = {
  event: 'publisher.tick',
  eventId: 'evt_0123456789abcdef0123456789abcdef',
  body: JSON.stringify({
    event: 'publisher.tick',
    id: 'evt_0123456789abcdef0123456789abcdef',
    createdAt: '2026-11-21T09:29:59.000Z',
    data: { note: 'naïve ₦ 😂' },
  }),
  test: false,
  secrets: ['correct horse battery staple'],
  timestampSeconds: now / 1_000,
};
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 16,
  maxLength: 256,
});

/** Whether the public library accepts the delivery, as a receiver in TypeScript would check it. */
function libraryAccepts(secret: string, headers: Record<string, string>, body: string): boolean {
  // The library compares the timestamp with the current time.
  try {
    new Webhook(standardSecret(secret)).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe('deliveryHeaders', () => {
  it.each(vectors.cases.map((one) => [one.secret, one] as const))(
    'are those of contract/vectors/webhook.json for the secret %s',
    (secret, { body, headers }) => {
      const made = deliveryHeaders({
        ...parts,
        body,
        eventId: headers['webhook-id'],
        secrets: [secret],
        timestampSeconds: Number(headers['webhook-timestamp']),
      });
      expect(made).toMatchObject(headers);
    },
  );

  it('are accepted by verifyWebhook and by the standardwebhooks library, whatever the secret', () => {
    fc.assert(
      fc.property(printable, (secret) => {
        const seconds = Math.floor(Date.now() / 1_000);
        const headers = deliveryHeaders({ ...parts, secrets: [secret], timestampSeconds: seconds });
        const { body } = parts;
        verifyWebhook({ body, headers, secret });
        expect(libraryAccepts(secret, headers, body)).toBe(true);
        expect(libraryAccepts(`${secret}x`, headers, body)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('have one X-Fairlead-Signature, by the oldest secret, and list a signature by each, the newest first', () => {
    const [old, fresh] = ['the old secret of this webhook', 'the new secret of this webhook'] as const;
    const both = deliveryHeaders({ ...parts, secrets: [old, fresh] });
    const byOld = deliveryHeaders({ ...parts, secrets: [old] });
    const byNew = deliveryHeaders({ ...parts, secrets: [fresh] });
    expect(both['X-Fairlead-Signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(both['X-Fairlead-Signature']).toBe(byOld['X-Fairlead-Signature']);
    expect(both['webhook-signature']).toBe(`${byNew['webhook-signature']} ${byOld['webhook-signature']}`);
    const { body } = parts;
    verifyWebhook({ body, headers: both, secret: old, now });
    verifyWebhook({ body, headers: both, secret: [fresh, old], now });
  });
});

const secret = 'correct "horse" battery staple';
const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('excerptOf', () => {
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
