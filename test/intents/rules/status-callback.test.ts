import { expect, it } from '@jest/globals';
import {
  isFresh,
  parseSignatureHeader,
  signedPayload,
  takeCallback,
} from '../../../server/features/intents/callback/status-callback.rules.js';

const base64 = Buffer.alloc(64, 7).toString('base64');
const signedAt = 1_700_000_000;

it.each([`t=${signedAt}, s=${base64}`, `t=${signedAt},s=${base64}`, `s=${base64}, t=${signedAt}`])(
  'the Signature header is parsed: %s',
  (header) => expect(parseSignatureHeader(header)).toEqual({ signedAt, signature: Buffer.alloc(64, 7) }),
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
])('the Signature header is refused: %s', (header) => expect(parseSignatureHeader(header)).toBeNull());

it('a signature covers time, host and the bytes of the body, and is fresh for two minutes either way', () => {
  const payload = signedPayload(17, 'fairlead.example:8443', Buffer.from('{"a":1}'));
  expect(payload.toString()).toBe('17.fairlead.example:8443.{"a":1}');
  const fresh = [-121, -120, 0, 120, 121].map((s) => isFresh(signedAt, (signedAt + s) * 1_000));
  expect(fresh).toEqual([false, true, true, true, false]);
});

it('callbacks are each applied once, several within a second too, in the order of their time, 16 a second', () => {
  const take = (...[first, ...more]: [signedAt: number, digest: string][]) =>
    more.reduce(
      (taken, [at, digest]) => takeCallback(taken, { signedAt: at, digest }),
      takeCallback(null, { signedAt: first?.[0] ?? 0, digest: first?.[1] ?? '' }),
    );
  expect(take([100, 'a'], [100, 'b'])?.digests).toEqual(['a', 'b']);
  expect(take([100, 'a'], [100, 'b'], [100, 'a'])).toBeNull();
  expect(take([100, 'a'], [101, 'a'])).toEqual({ signedAt: 101, digests: ['a'] });
  expect(take([100, 'a'], [99, 'b'])).toBeNull();
  const many = Array.from({ length: 16 }, (_, n): [number, string] => [100, String(n)]);
  expect(take(...many)?.digests).toHaveLength(16);
  expect(take(...many, [100, 'one more'])).toBeNull();
});
