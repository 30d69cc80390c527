import { expect, it } from '@jest/globals';
import { rotateSecrets, type StoredSecret, secretsInForce } from '../../../server/webhooks/secrets.js';

const day = 86_400_000;

/** What is in force at this time after these rotations, as [secret, at, overlap], from the secret a. */
function inForce(rotations: readonly (readonly [string, number, number])[], at: number): string {
  let secrets: StoredSecret[] = [{ sealed: 'a', since: new Date(0), until: null }];
  for (const [sealed, nowMs, overlapMs] of rotations)
    secrets = rotateSecrets(secrets, sealed, nowMs, overlapMs);
  expect(secrets.length).toBeLessThanOrEqual(2);
  return secretsInForce(secrets, at)
    .map(({ sealed }) => sealed)
    .join('');
}

it.each([
  ['the old secret until the overlap ends', [['b', 1_000, day]], 1_000 + day - 1, 'ab'],
  ['to the millisecond', [['b', 1_000, day]], 1_000 + day, 'b'],
  [
    'no older secret without an overlap',
    [
      ['b', 0, day],
      ['c', 1, 0],
    ],
    1,
    'c',
  ],
  [
    'the oldest of several, which signs, and the newest',
    [
      ['b', 0, day],
      ['c', day / 2, day],
    ],
    day - 1,
    'ac',
  ],
  [
    'none longer than it was to be',
    [
      ['b', 0, day],
      ['c', day / 2, day],
    ],
    day,
    'c',
  ],
  [
    'none beyond a shorter overlap',
    [
      ['b', 0, day],
      ['c', 0, 60_000],
    ],
    60_000,
    'c',
  ],
  [
    'the one before where the oldest has ended',
    [
      ['b', 0, 10],
      ['c', 11, day],
    ],
    12,
    'bc',
  ],
] as const)('a rotation keeps %s', (_what, rotations, at, expected) => {
  expect(inForce(rotations, at)).toBe(expected);
});
