import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { examples } from '../../../contract/examples/index.js';
import { fileDisputeBody } from '../../../contract/schemas/disputes.js';
import { createIntentBody } from '../../../contract/schemas/intents.js';
import batchVectors from '../../../contract/vectors/batch.json' with { type: 'json' };
import disputeVectors from '../../../contract/vectors/dispute.json' with { type: 'json' };
import intentVectors from '../../../contract/vectors/intent-hash.json' with { type: 'json' };
import strkeyVectors from '../../../contract/vectors/strkey.json' with { type: 'json' };
import webhookVectors from '../../../contract/vectors/webhook.json' with { type: 'json' };
import { fromBase64, fromHex, toBase64, toHex } from '../../../contract/verification/bytes.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { publicKeyOf, signEd25519, verifyEd25519 } from '../../../contract/verification/ed25519.js';
import { canonicalIntent, type IntentTerms, intentHash } from '../../../contract/verification/intent-hash.js';
import { sep53Hash, signDispute } from '../../../contract/verification/sign-dispute.js';
import {
  decodePublicKey,
  encodePublicKey,
  parsePublicKey,
  StrkeyError,
} from '../../../contract/verification/strkey.js';
import {
  type BatchEntry,
  type BatchHead,
  type BatchHeader,
  batchKeyId,
  batchSigningBytes,
  entryLeafHash,
  verifyBatch,
  verifyEntry,
} from '../../../contract/verification/verify-batch.js';
import {
  standardSecret,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../contract/verification/verify-webhook.js';
import { inclusionProof } from '../../fixtures/publisher/merkle.js';

/** The vectors that outsiders build by. They are fixed: a change here breaks every client written against them. */
describe('contract/vectors', () => {
  it.each(strkeyVectors.accepted)('strkey: $account', ({ hex, account }) => {
    expect(encodePublicKey(fromHex(hex))).toBe(account);
    expect(toHex(decodePublicKey(account))).toBe(hex);
  });

  it.each(strkeyVectors.refused)('strkey: refuses $why', ({ text }) => {
    expect(() => decodePublicKey(text)).toThrow(StrkeyError);
  });

  it.each(intentVectors.cases)('intent: $name', ({ intent, canonical, intentHash: hash }) => {
    const terms: IntentTerms = intent;
    expect(canonicalIntent(terms)).toBe(canonical);
    expect(intentHash(terms)).toBe(hash);
  });

  it.each(disputeVectors.cases)(
    'dispute by $body.publicKey',
    ({ seed, secretKey, sep53Hash: digest, body }) => {
      expect(toHex(sep53Hash(body.intentHash))).toBe(digest);
      expect(signDispute({ ...body, secretKey })).toEqual(body);
      expect(signDispute({ ...body, secretKey: fromHex(seed) })).toEqual(body);
    },
  );

  it.each(webhookVectors.cases)(
    'webhook: secret $secret',
    ({ secret, standardSecret: standard, body, headers }) => {
      const now = Number(headers['webhook-timestamp']) * 1000;
      expect(standardSecret(secret)).toBe(standard);
      expect(verifyWebhook({ body, headers, secret, now })).toEqual(JSON.parse(body));
      const signed = new Webhook(standard).sign(headers['webhook-id'], new Date(now), body);
      expect(signed).toBe(headers['webhook-signature']);
      expect(createHmac('sha256', secret).update(body).digest('hex')).toBe(headers['X-Fairlead-Signature']);
    },
  );

  it.each(webhookVectors.refused)('webhook: refuses, $why', ({ secret = '', body, signature }) => {
    const headers = { 'X-Fairlead-Signature': signature };
    expect(() => verifyWebhook({ body, headers, secret })).toThrow(WebhookVerificationError);
  });

  it('batches: the chain, each header, signature, leaf and proof', () => {
    const { keys, batches } = batchVectors;
    let previous: BatchHead | null = null;
    for (const { signature, canonicalHeader, signingBytesHex, leafHashes, proofs, ...batch } of batches) {
      const header = batch.header as BatchHeader;
      const entries: BatchEntry[] = batch.entries;
      expect(canonicalJson(header)).toBe(canonicalHeader);
      expect(toHex(batchSigningBytes(header))).toBe(signingBytesHex);
      const verdict = verifyBatch({ header, signature, entries, keys, previous });
      expect(verdict).toEqual({ ok: true, headerHash: batch.headerHash });
      const leaves = entries.map(entryLeafHash);
      expect(leaves.map(toHex)).toEqual(leafHashes);
      for (const [index, entry] of entries.entries()) {
        const proof = proofs[index] ?? [];
        expect(inclusionProof(leaves, index).map(toHex)).toEqual(proof);
        expect(verifyEntry({ entry, index, size: entries.length, proof, header })).toBe(true);
      }
      previous = { sequence: header.sequence, headerHash: batch.headerHash };
    }
    expect(previous?.sequence).toBe(4);
  });

  it.each(batchVectors.keys)('batches: the key $keyId and what it signed', ({ seed, keyId, publicKey }) => {
    expect(encodePublicKey(publicKeyOf(fromHex(seed)))).toBe(publicKey);
    expect(batchKeyId(decodePublicKey(publicKey))).toBe(keyId);
    for (const { header, signature } of batchVectors.batches.filter((one) => one.header.keyId === keyId))
      expect(toBase64(signEd25519(batchSigningBytes(header as BatchHeader), fromHex(seed)))).toBe(signature);
  });
});

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
