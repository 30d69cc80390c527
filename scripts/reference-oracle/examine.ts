import { z } from 'zod';
import { parsePublicKey, StrkeyError } from '../../contract/verification/strkey.js';
import {
  type BatchKey,
  batchFaults,
  batchHeader,
  batchHeaderHash,
  batchKeyId,
  verifyBatch,
} from '../../contract/verification/verify-batch.js';
import type { Ledger, TakenBatch } from './ledger.js';

/** An answer of the oracle: a receipt, or `{code, message}`. */
export interface Reply {
  status: number;
  body: unknown;
}

const submission = z.object({
  header: batchHeader,
  signature: z.string().max(128),
  publicKey: z.string().max(128),
  entries: z.array(z.record(z.unknown())),
});

/** The key in this text, with its id. Throws StrkeyError. */
export function toBatchKey(text: string): BatchKey {
  const { account, key } = parsePublicKey(text);
  return { keyId: batchKeyId(key), publicKey: account };
}

/**
 * Decides on one submission. A header hash that was accepted before gets the same receipt again. A batch is refused if
 * it does not continue the chain, is not signed by a known key, or has other entries than its root says.
 */
export function examine(ledger: Ledger, trusted: readonly BatchKey[] | undefined, body: unknown): Reply {
  const parsed = submission.safeParse(body);
  if (!parsed.success) return refusal(400, 'malformed', parsed.error.issues[0]?.message ?? 'not a batch');
  const { header, signature, publicKey, entries } = parsed.data;
  const known = ledger.find(header.sequence);
  if (known !== undefined) return answerKnown(known, batchHeaderHash(header));

  const head = ledger.head();
  const expected = (head?.header.sequence ?? 0) + 1;
  if (header.sequence !== expected) {
    return refusal(409, 'out_of_order', `The next batch is ${expected}, not ${header.sequence}.`);
  }
  const keys = trusted ?? keysOnFirstUse(ledger, publicKey);
  if (keys === undefined) return refusal(422, 'malformed_key', batchFaults.malformed_key);
  const previous =
    head === undefined ? null : { sequence: head.header.sequence, headerHash: head.receipt.headerHash };
  const result = verifyBatch({ header, signature, entries, keys, previous });
  if (!result.ok) return refusal(422, result.reason, batchFaults[result.reason]);
  return { status: 201, body: ledger.take({ header, signature, publicKey }, entries).receipt };
}

function answerKnown(known: TakenBatch, headerHash: string): Reply {
  if (known.receipt.headerHash === headerHash) return { status: 200, body: known.receipt };
  const message = `Batch ${known.header.sequence} was accepted with another header hash.`;
  return refusal(409, 'conflict', message);
}

/** Without configured keys, the oracle trusts the key of the first batch. */
function keysOnFirstUse(ledger: Ledger, publicKey: string): BatchKey[] | undefined {
  try {
    return [toBatchKey(ledger.find(1)?.publicKey ?? publicKey)];
  } catch (error) {
    if (error instanceof StrkeyError) return undefined;
    throw error;
  }
}

export function refusal(status: number, code: string, message: string): Reply {
  return { status, body: { code, message } };
}
