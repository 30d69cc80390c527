import { expect, it } from '@jest/globals';
import { examples } from '../../contract/examples/index.js';
import { fileDisputeBody } from '../../contract/schemas/disputes.js';
import { createIntentBody } from '../../contract/schemas/intents.js';
import { fromBase64 } from '../../contract/verification/bytes.js';
import { verifyEd25519 } from '../../contract/verification/ed25519.js';
import { intentHash } from '../../contract/verification/intent-hash.js';
import { sep53Hash } from '../../contract/verification/sep53.js';
import { parsePublicKey } from '../../contract/verification/strkey.js';

it('the example of a new intent has the hash that its answer names, and a deadline that is past, lest it be registered', () => {
  const example = examples.intents.createIntent;
  const terms = createIntentBody.parse(example.body);
  expect(Date.parse(terms.expiresAt ?? '')).toBeLessThan(Date.parse('2026-11-21T00:00:00.000Z'));
  expect(example.answer).toMatchObject({ intentHash: intentHash(terms) });
  const { expiresAt: _past, ...others } = terms;
  expect(examples.intents.getIntent.params).toEqual({ intentHash: intentHash(others) });
});

it('the example dispute is signed by the account of the example intent', () => {
  const body = fileDisputeBody.parse(examples.disputes.fileDispute.body);
  const { intentHash: disputed, publicKey, signature } = body;
  expect(examples.intents.getIntent.answer).toMatchObject({
    intentHash: disputed,
    account: publicKey,
  });
  const { key } = parsePublicKey(publicKey);
  expect(verifyEd25519(fromBase64(signature), sep53Hash(disputed), key)).toBe(true);
});
