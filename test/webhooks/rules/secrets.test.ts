import { describe, expect, it } from '@jest/globals';
import { createSecretBox, rotateSecrets, secretsInForce } from '../../../server/webhooks/secrets.js';
import type { StoredSecret } from '../../../server/webhooks/webhook-store.js';

const key = '0f'.repeat(32);
const secret = 'correct horse battery staple';

describe('a secret box', () => {
  it('opens what it sealed, and seals it differently each time', () => {
    const box = createSecretBox(key);
    const [one, two] = [box.seal(secret, 'whk_1'), box.seal(secret, 'whk_1')];
    expect(one).not.toBe(two);
    expect(box.open(one, 'whk_1')).toBe(secret);
    expect(box.open(two, 'whk_1')).toBe(secret);
  });

  it('does not open with another key, for another webhook, or after a change', () => {
    const box = createSecretBox(key);
    const sealed = box.seal(secret, 'whk_1');
    expect(createSecretBox('f0'.repeat(32)).open(sealed, 'whk_1')).toBeUndefined();
    expect(box.open(sealed, 'whk_2')).toBeUndefined();
    const bytes = Buffer.from(sealed, 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(box.open(changed.toString('base64'), 'whk_1')).toBeUndefined();
    }
    for (const cut of ['', 'AAAA', 'what is this']) {
      expect(box.open(cut, 'whk_1')).toBeUndefined();
    }
  });
});

const day = 86_400_000;

type Rotation = [secret: string, at: number, overlap: number];

/** What is in force at this time after these rotations from the secret a. */
function inForce(rotations: readonly Rotation[], at: number): string {
  let secrets: StoredSecret[] = [{ sealed: 'a', since: new Date(0), until: null }];
  for (const [sealed, nowMs, overlapMs] of rotations)
    secrets = rotateSecrets(secrets, sealed, nowMs, overlapMs);
  expect(secrets.length).toBeLessThanOrEqual(2);
  return secretsInForce(secrets, at)
    .map(({ sealed }) => sealed)
    .join('');
}

it.each<[what: string, at: number, expected: string, ...rotations: Rotation[]]>([
  ['the old secret until the overlap ends', 1_000 + day - 1, 'ab', ['b', 1_000, day]],
  ['to the millisecond', 1_000 + day, 'b', ['b', 1_000, day]],
  ['no older secret without an overlap', 1, 'c', ['b', 0, day], ['c', 1, 0]],
  ['the oldest of several, which signs, and the newest', day - 1, 'ac', ['b', 0, day], ['c', day / 2, day]],
  ['none longer than it was to be', day, 'c', ['b', 0, day], ['c', day / 2, day]],
  ['none beyond a shorter overlap', 60_000, 'c', ['b', 0, day], ['c', 0, 60_000]],
  ['the one before where the oldest has ended', 12, 'bc', ['b', 0, 10], ['c', 11, day]],
])('a rotation keeps %s', (_what, at, expected, ...rotations) => {
  expect(inForce(rotations, at)).toBe(expected);
});
