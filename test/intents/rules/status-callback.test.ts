import { describe, expect, it } from '@jest/globals';
import {
  digestOf,
  isFresh,
  parseSignatureHeader,
  signedPayload,
  takeCallback,
} from '../../../server/features/intents/callback/status-callback.rules.js';

const base64 = Buffer.alloc(64, 7).toString('base64');

describe('the Signature header', () => {
  it.each([`t=1700000000, s=${base64}`, `t=1700000000,s=${base64}`, `s=${base64}, t=1700000000`])(
    'is parsed: %s',
    (header) => {
      expect(parseSignatureHeader(header)).toEqual({
        signedAt: 1_700_000_000,
        signature: Buffer.alloc(64, 7),
      });
    },
  );

  it.each([
    undefined,
    '',
    `s=${base64}`,
    't=1700000000',
    `t=1700000000, s=${base64.slice(4)}`,
    `t=-1, s=${base64}`,
    `t=1e9, s=${base64}`,
    `t=, s=${base64}`,
    `t=1700000000, s=${base64}, v=2`,
    `t=1700000000, s=${base64.replace('==', '')}`,
    `t=1700000000, s=${base64.slice(0, -3)}x==`,
    `t=1700000000, s=${base64}${' '.repeat(300)}`,
  ])('is refused: %s', (header) => expect(parseSignatureHeader(header)).toBeNull());

  it('covers time, host and the bytes of the body', () => {
    expect(signedPayload(17, 'fairlead.example:8443', Buffer.from('{"a":1}')).toString()).toBe(
      '17.fairlead.example:8443.{"a":1}',
    );
  });

  it('is fresh for two minutes in both directions', () => {
    const signedAt = 1_700_000_000;
    expect([-121, -120, 0, 120, 121].map((s) => isFresh(signedAt, (signedAt + s) * 1_000))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('callbacks of one intent', () => {
  const first = { signedAt: 100, digest: digestOf(Buffer.from('a')) };
  const second = { signedAt: 100, digest: digestOf(Buffer.from('b')) };

  it('are each applied once, even several within one second', () => {
    const one = takeCallback(null, first);
    const two = takeCallback(one, second);
    expect(two?.digests).toHaveLength(2);
    expect(takeCallback(two, first)).toBeNull();
    expect(takeCallback(two, second)).toBeNull();
  });

  it('are not applied after a later one', () => {
    const later = takeCallback(takeCallback(null, first), { signedAt: 101, digest: first.digest });
    expect(later).toEqual({ signedAt: 101, digests: [first.digest] });
    expect(takeCallback(later, second)).toBeNull();
  });

  it('are remembered in bounded memory', () => {
    let taken = takeCallback(null, first);
    for (let i = 0; i < 15; i += 1) taken = takeCallback(taken, { signedAt: 100, digest: String(i) });
    expect(taken?.digests).toHaveLength(16);
    expect(takeCallback(taken, { signedAt: 100, digest: 'one more' })).toBeNull();
  });
});
