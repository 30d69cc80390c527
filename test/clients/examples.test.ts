import { expect, it } from '@jest/globals';
import { fromBase64 } from '../../contract/bytes.js';
import { contract } from '../../contract/contract.js';
import { fileDisputeBody } from '../../contract/disputes.js';
import { verifyEd25519 } from '../../contract/ed25519.js';
import { intentHash } from '../../contract/intent-hash.js';
import { createIntentBody } from '../../contract/intents.js';
import { sep53Hash } from '../../contract/sep53.js';
import { parsePublicKey } from '../../contract/strkey.js';

it('the example intent can be sent on any day, and has the hash that the other examples name', () => {
  const { example } = contract.intents.createIntent.metadata;
  const terms = createIntentBody.parse(example.body);
  expect(terms.expiresAt).toBeUndefined();
  expect(example.answer).toMatchObject({ intentHash: intentHash(terms) });
  expect(contract.intents.getIntent.metadata.example.params).toEqual({ intentHash: intentHash(terms) });
});

it('the example dispute is signed by the account of the example intent', () => {
  const body = fileDisputeBody.parse(contract.disputes.fileDispute.metadata.example.body);
  const { intentHash: disputed, publicKey, signature } = body;
  expect(contract.intents.createIntent.metadata.example.answer).toMatchObject({
    intentHash: disputed,
    account: publicKey,
  });
  const { key } = parsePublicKey(publicKey);
  expect(verifyEd25519(fromBase64(signature), sep53Hash(disputed), key)).toBe(true);
});
