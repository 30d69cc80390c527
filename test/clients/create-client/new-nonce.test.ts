import { expect, it } from '@jest/globals';
import { createIntentBody } from '../../../contract/schemas/intents.js';
import { newNonce } from '../../../contract/verification/nonce.js';

it('a new nonce has the form that an intent requires, whatever the random bytes', () => {
  for (const byte of [0x00, 0x3e, 0x3f, 0xfb, 0xff]) {
    const nonce = newNonce((length) => new Uint8Array(length).fill(byte));
    expect(createIntentBody.shape.nonce.safeParse(nonce).success).toBe(true);
    expect(nonce).toHaveLength(32);
  }
  expect(newNonce((length) => new Uint8Array(length).fill(0xff))).toBe('_'.repeat(32));
});

it('no two nonces are alike', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newNonce())).size).toBe(1_000);
});
