import { describe, expect, it } from '@jest/globals';
import { createSecretBox, SealedSecretError } from '../../../server/webhooks/secrets.js';

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

  it('does not contain the secret in what it sealed', () => {
    const sealed = createSecretBox(key).seal(secret, 'whk_1');
    const bytes = Buffer.from(sealed, 'base64');
    for (const word of ['correct', 'horse', 'staple']) {
      expect(sealed).not.toContain(word);
      expect(bytes.includes(word)).toBe(false);
    }
  });

  it('does not open with another key, for another webhook, or after a change', () => {
    const box = createSecretBox(key);
    const sealed = box.seal(secret, 'whk_1');
    expect(() => createSecretBox('f0'.repeat(32)).open(sealed, 'whk_1')).toThrow(SealedSecretError);
    expect(() => box.open(sealed, 'whk_2')).toThrow(SealedSecretError);
    const bytes = Buffer.from(sealed, 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed.toString('base64'), 'whk_1')).toThrow(SealedSecretError);
    }
    for (const cut of ['', 'AAAA', 'what is this']) {
      expect(() => box.open(cut, 'whk_1')).toThrow(SealedSecretError);
    }
  });
});
