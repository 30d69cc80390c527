import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { utf8 } from '../../../contract/verification/bytes.js';
import {
  standardSecret,
  verifyWebhook,
  type WebhookDelivery,
  WebhookVerificationError,
} from '../../../contract/verification/verify-webhook.js';

const now = Date.parse('2026-11-21T09:30:00.000Z');
const nowSeconds = now / 1000;
const secret = 'correct horse battery staple';
const newSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'evt_0123456789abcdefABCDEF';
const envelope = {
  event: 'intent.settled',
  id,
  createdAt: '2026-11-21T09:29:59.000Z',
  data: {
    intentHash: 'ab'.repeat(32),
    anchorId: 'cowrie',
    corridor: 'usdc-ngn',
    amount: '100.5',
    status: 'settled',
    note: 'naïve ₦ 😂',
  },
};
const body = JSON.stringify(envelope);

const hexHmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');

/** Headers from the library of Standard Webhooks, which signs with secrets in the form that it takes. */
function standardHeaders(secrets: string[], text: string, seconds = nowSeconds) {
  const signatures = secrets.map((key) => {
    const signer = new Webhook(standardSecret(key));
    return signer.sign(id, new Date(seconds * 1000), text);
  });
  const named = { 'webhook-id': id, 'webhook-timestamp': String(seconds) };
  return { ...named, 'webhook-signature': signatures.join(' ') };
}

const plain = { 'X-Fairlead-Signature': hexHmac(secret, body) };
const full = { ...plain, ...standardHeaders([secret], body) };

function faultOf(changes: Partial<WebhookDelivery>): string {
  try {
    verifyWebhook({ body, headers: full, secret, now, ...changes });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.fault;
    throw error;
  }
  return 'accepted';
}

describe('verifyWebhook', () => {
  it('returns the envelope of a delivery that carries both signatures', () => {
    for (const headers of [full, new Headers(full)])
      for (const given of [body, utf8(body), Buffer.from(body)])
        expect(verifyWebhook({ body: given, headers, secret, now })).toEqual(envelope);
  });

  it('reads header names in any case, and values as Node gives them', () => {
    const upper = Object.entries(full).map(([name, value]) => [name.toUpperCase(), value]);
    const listed = Object.entries(full).map(([name, value]) => [name.toLowerCase(), [value]]);
    expect(faultOf({ headers: Object.fromEntries(upper) })).toBe('accepted');
    expect(faultOf({ headers: Object.fromEntries(listed) })).toBe('accepted');
  });

  it('requires both kinds of headers, or X-Fairlead-Signature alone where no timestamp is required', () => {
    expect(faultOf({ headers: plain })).toBe('missing_header');
    expect(faultOf({ headers: plain, requireTimestamp: false })).toBe('accepted');
    expect(faultOf({ headers: standardHeaders([secret], body) })).toBe('missing_header');
    expect(faultOf({ headers: {} })).toBe('missing_header');
  });

  const right = hexHmac(secret, body);
  it.each([
    right.toUpperCase(),
    right.slice(0, -1),
    right.slice(2),
    `${right}00`,
    `sha256=${right}`,
    ` ${right}`,
    '',
    hexHmac('another secret of mine', body),
    hexHmac(secret, `${body} `),
    createHmac('sha256', secret).update(body).digest('base64'),
  ])('refuses another spelling, length or digest of X-Fairlead-Signature: %j', (value) => {
    expect(faultOf({ headers: { ...full, 'X-Fairlead-Signature': value } })).toBe('bad_signature');
    expect(faultOf({ headers: { ...full, 'X-Fairlead-Signature': [right, value] } })).toBe('bad_signature');
  });

  it('refuses a body with any byte changed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = utf8(body);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ change;
        expect(faultOf({ body: bytes })).toBe('bad_signature');
      }),
      { numRuns: 200 },
    );
    expect(faultOf({ body: JSON.stringify(envelope, null, 1) })).toBe('bad_signature');
  });

  const signatures = ['', 'v1,', 'v1a,AAAA', full['webhook-signature'].replace('v1,', 'v2,')];
  it.each<[string, object]>([
    ['missing_header', { 'webhook-id': undefined }],
    ['missing_header', { 'webhook-timestamp': undefined }],
    ['missing_header', { 'webhook-signature': undefined }],
    ['bad_signature', { 'webhook-id': 'evt_another' }],
    ['bad_signature', { 'webhook-timestamp': String(nowSeconds - 1) }],
    ['bad_signature', standardHeaders(['another secret of mine'], body)],
    ...signatures.map((value): [string, object] => ['bad_signature', { 'webhook-signature': value }]),
  ])('says `%s` of the headers of Standard Webhooks with %j', (fault, changes) => {
    expect(faultOf({ headers: { ...full, ...changes } })).toBe(fault);
  });

  it('accepts a timestamp within the tolerance in either direction, and none beyond it', () => {
    const at = (seconds: number) => ({ ...plain, ...standardHeaders([secret], body, seconds) });
    expect(faultOf({ headers: at(nowSeconds - 300) })).toBe('accepted');
    expect(faultOf({ headers: at(nowSeconds - 301) })).toBe('too_old');
    expect(faultOf({ headers: at(nowSeconds + 300) })).toBe('accepted');
    expect(faultOf({ headers: at(nowSeconds + 301) })).toBe('too_new');
    expect(faultOf({ headers: at(nowSeconds - 11), toleranceSeconds: 10 })).toBe('too_old');
    for (const text of ['', 'now', '-1', '1e9', `${nowSeconds}.0`, '9'.repeat(13)]) {
      expect(faultOf({ headers: { ...full, 'webhook-timestamp': text } })).toBe('bad_timestamp');
    }
  });

  const unusable = [{ toleranceSeconds: Number.NaN }, { toleranceSeconds: -1 }, { now: Number.NaN }];
  it.each([...unusable, { now: Number.POSITIVE_INFINITY }])(
    'throws for %p, whatever the delivery',
    (options) => {
      const old = { ...plain, ...standardHeaders([secret], body, nowSeconds - 86_400) };
      const forged = { ...full, 'X-Fairlead-Signature': '' };
      for (const headers of [full, old, plain, forged, {}]) {
        expect(() => faultOf({ headers, ...options })).toThrow(RangeError);
      }
    },
  );

  it('accepts with both secrets, during a rotation, a delivery signed with the old one and listed under both', () => {
    const headers = { ...plain, ...standardHeaders([secret, newSecret], body) };
    expect(faultOf({ headers, secret: [newSecret, secret] })).toBe('accepted');
    expect(faultOf({ headers, secret })).toBe('accepted');
    expect(faultOf({ headers, secret: newSecret })).toBe('bad_signature');
  });

  it('refuses an authentic body that is no envelope', () => {
    const objects = ['{}', '{"event":"x"}', '{"event":"x","id":"y","createdAt":"z","data":1}'];
    for (const text of ['', 'null', '5', '"x"', '[]', '{', ...objects]) {
      const headers = { 'X-Fairlead-Signature': hexHmac(secret, text) };
      expect(faultOf({ body: text, headers, requireTimestamp: false })).toBe('malformed_body');
    }
  });
});

describe('standardSecret', () => {
  it('keeps a whsec_ secret and wraps any other, so that the library of Standard Webhooks verifies', () => {
    expect(standardSecret(newSecret)).toBe(newSecret);
    for (const text of ['plain secret 123', 'whsec_', 'whsec_not base64!', 'whsec_abc'])
      expect(standardSecret(text)).toBe(`whsec_${Buffer.from(text).toString('base64')}`);
  });

  it('agrees with the published vector of Standard Webhooks', () => {
    const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    const text = '{"test": 2432232314}';
    const sent = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330' };
    const own = { 'X-Fairlead-Signature': hexHmac(newSecret, text) };
    const headers = { ...own, ...sent, 'webhook-signature': signature };
    // The delivery is authentic and fresh; the remaining fault is that the vector's body is not an envelope of ours.
    const then = { body: text, headers, secret: newSecret, now: 1614265330_000 };
    expect(faultOf(then)).toBe('malformed_body');
    const changed = { ...headers, 'webhook-signature': signature.replace('g0hM', 'g0hN') };
    expect(faultOf({ ...then, headers: changed })).toBe('bad_signature');
  });
});
