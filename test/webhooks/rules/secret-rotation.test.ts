import { describe, expect, it } from '@jest/globals';
import { rotateSecrets, type StoredSecret, secretsInForce } from '../../../server/webhooks/secrets.js';

const day = 86_400_000;
const first: StoredSecret[] = [{ sealed: 'a', since: new Date(0), until: null }];
const names = (secrets: readonly StoredSecret[]) => secrets.map(({ sealed }) => sealed).join('');

describe('rotateSecrets', () => {
  it('keeps the old secret in force until the overlap ends, to the millisecond', () => {
    const rotated = rotateSecrets(first, 'b', 1_000, day);
    expect(names(secretsInForce(rotated, 1_000))).toBe('ab');
    expect(names(secretsInForce(rotated, 1_000 + day - 1))).toBe('ab');
    expect(names(secretsInForce(rotated, 1_000 + day))).toBe('b');
  });

  it('ends every older secret at once where there is no overlap', () => {
    const rotated = rotateSecrets(rotateSecrets(first, 'b', 0, day), 'c', 1, 0);
    expect(names(rotated)).toBe('c');
  });

  it('does not prolong a secret that was ending already', () => {
    const rotated = rotateSecrets(rotateSecrets(first, 'b', 0, day), 'c', day / 2, day);
    expect(names(secretsInForce(rotated, day - 1))).toBe('abc');
    expect(names(secretsInForce(rotated, day))).toBe('bc');
    expect(names(secretsInForce(rotated, day * 1.5))).toBe('c');
  });

  it('shortens a secret that was to end after the new overlap', () => {
    const rotated = rotateSecrets(rotateSecrets(first, 'b', 0, day), 'c', 0, 60_000);
    expect(names(secretsInForce(rotated, 60_000))).toBe('c');
  });

  it('keeps at most three: the oldest, which signs, and the two newest', () => {
    let secrets = first;
    for (const next of ['b', 'c', 'd', 'e']) secrets = rotateSecrets(secrets, next, 1, day);
    expect(names(secretsInForce(secrets, 2))).toBe('ade');
  });

  it('drops secrets that are no longer in force', () => {
    expect(names(rotateSecrets(rotateSecrets(first, 'b', 0, 10), 'c', 11, day))).toBe('bc');
  });
});
