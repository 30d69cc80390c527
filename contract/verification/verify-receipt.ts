import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { instant } from '../schemas/primitives.js';
import { fromBase64, toHex, utf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { verifyEd25519 } from './ed25519.js';
import { decodePublicKey, isSmallOrder, StrkeyError } from './strkey.js';
import type { BatchHead } from './verify-batch.js';

/**
 * What an oracle signs when it has taken a batch: Ed25519 over the 84 bytes `fairlead.receipt.v1\n` ‖ 64 lower-case
 * hex digits of SHA-256 of the RFC 8785 form of the receipt without its `signature`.
 */
const SIGNING_CONTEXT = 'fairlead.receipt.v1\n';

export const oracleReceipt = z
  .object({
    version: z.literal(1).describe('Version of this form.'),
    sequence: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).describe('Number of the batch it took.'),
    headerHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Header hash of that batch.'),
    receivedAt: instant.describe('When, by its own clock.'),
    oracle: z
      .string()
      .regex(/^G[A-Z2-7]{55}$/)
      .describe("The oracle's public key, `G…`."),
    signature: z
      .string()
      .max(88)
      .describe("Ed25519 signature by the oracle's key over the other members, in base64."),
  })
  .strict()
  .describe('What the oracle signed when it took the batch.');
export type OracleReceipt = z.infer<typeof oracleReceipt>;

/** The bytes that an oracle signs. */
export function receiptSigningBytes({ signature: _, ...signed }: OracleReceipt): Uint8Array {
  return utf8(SIGNING_CONTEXT + toHex(sha256(utf8(canonicalJson(signed)))));
}

/** The faults of a receipt, with their meanings. */
export const receiptFaults = {
  malformed_receipt: 'It lacks a member, has another one, or one of another form.',
  other_batch: 'It is for another batch.',
  other_oracle: 'It is by another key than the one that is known.',
  bad_receipt_signature: 'The signature does not verify under the key it names.',
} as const;

export type ReceiptFault = keyof typeof receiptFaults;

/**
 * The first fault of a receipt for the batch of this head, or null. With `oracle` it must be by that key (`G…`);
 * without it, the check only proves that some key signed it.
 */
export function receiptFault(receipt: unknown, batch: BatchHead, oracle?: string): ReceiptFault | null {
  const parsed = oracleReceipt.safeParse(receipt);
  if (!parsed.success) return 'malformed_receipt';
  const { data } = parsed;
  if (data.sequence !== batch.sequence || data.headerHash !== batch.headerHash) return 'other_batch';
  if (oracle !== undefined && data.oracle !== oracle) return 'other_oracle';
  try {
    const key = decodePublicKey(data.oracle);
    const holds =
      !isSmallOrder(key) && verifyEd25519(fromBase64(data.signature), receiptSigningBytes(data), key);
    return holds ? null : 'bad_receipt_signature';
  } catch (error) {
    if (error instanceof StrkeyError || error instanceof RangeError) return 'bad_receipt_signature';
    throw error;
  }
}
