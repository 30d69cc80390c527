import { z } from 'zod';
import {
  type BatchHeader,
  type BatchKey,
  batchFaults,
  batchKeyId,
  entryLeafHash,
  entryProof,
  parsePublicKey,
  receiptFault,
  receiptFaults,
  type ScoreCard,
  StrkeyError,
  scoreCard,
  verifyBatch,
  verifyEntry,
} from '../contract/index.js';
import { toHex } from '../contract/verification/bytes.js';
import { ownCodes, ToolError } from './tool-error.js';

/** What the proof was asked for, and the keys that may have signed it. */
export interface Wanted {
  sequence: number;
  anchor: string;
  corridor: string;
  keys: readonly BatchKey[];
}

export interface CheckedProof {
  /** Every member that was hashed, also those that this version does not know. */
  entry: Record<string, unknown>;
  card: ScoreCard;
  header: BatchHeader;
  headerHash: string;
  /** `G…`. */
  publicKey: string;
  /** What was checked, for people. */
  checks: string[];
}

/** As `entryProof`, but the entry keeps every member: all of them are hashed. */
const proofForm = entryProof.extend({ entry: z.record(z.unknown()) });

/** Checks everything that a proof holds and that can be checked without asking anyone. Throws ToolError. */
export function checkProof(answer: unknown, wanted: Wanted): CheckedProof {
  const form = proofForm.safeParse(answer);
  if (!form.success) {
    const [issue] = form.error.issues;
    return refuse(`${issue?.path.join('.')} is not of its form: ${issue?.message}`);
  }
  const { entry, leafHash, batch, ...claim } = form.data;
  const { header, signature, receipt } = batch;
  if (header.sequence !== wanted.sequence) refuse('it is of another batch than the one asked for.');

  const verified = verifyBatch({ header, signature, keys: wanted.keys });
  if (!verified.ok)
    return refuse(`${verified.reason}: ${batchFaults[verified.reason]}${advice(verified.reason, batch)}`);
  const { headerHash } = verified;
  if (batch.headerHash !== headerHash) refuse('the header has another hash than it says.');
  if (keyIdOf(batch.publicKey) !== header.keyId)
    refuse('the public key beside the batch is not that of the header.');

  if (!verifyEntry({ entry, ...claim, header }))
    refuse('the signed batch does not contain this entry at this place.');
  if (leafHash !== toHex(entryLeafHash(entry))) refuse('the entry has another hash than it says.');
  const card = scoreCard.safeParse(entry);
  if (!card.success) return refuse('the entry is no score card.');
  if (card.data.anchorId !== wanted.anchor || card.data.corridor !== wanted.corridor)
    refuse('it is of another anchor or corridor than the one asked for.');

  const fault = receipt === null ? null : receiptFault(receipt, { sequence: header.sequence, headerHash });
  if (fault !== null) refuse(`${fault}: ${receiptFaults[fault]}`);
  return {
    entry,
    card: card.data,
    header,
    headerHash,
    publicKey: batch.publicKey,
    checks: [
      `The Ed25519 signature over the header verifies under the key ${header.keyId}.`,
      `Header and entry follow the formula ${header.formula}, which is known here.`,
      `The Merkle proof leads from the entry, at index ${claim.index} of ${claim.size}, to the signed root.`,
      `The entry is that of ${card.data.anchorId} in ${card.data.corridor}.`,
      ...(receipt === null ? [] : [`The receipt of the batch is signed by the key ${receipt.oracle}.`]),
    ],
  };
}

function refuse(why: string): never {
  throw new ToolError({
    code: 'PROOF_REFUSED',
    message: `${ownCodes.PROOF_REFUSED.split(';')[0]}: ${why} Do not use this score.`,
    retry: false,
  });
}

/** How to go on with a key that nobody gave: only its owner can say that it is right. */
function advice(reason: string, { publicKey }: { publicKey: string }): string {
  if (reason !== 'unknown_key') return '';
  return ` If you know that ${publicKey} is the publisher's, start fairlead-mcp with --key ${publicKey}.`;
}

function keyIdOf(publicKey: string): string | undefined {
  try {
    return batchKeyId(parsePublicKey(publicKey).key);
  } catch (error) {
    if (error instanceof StrkeyError) return undefined;
    throw error;
  }
}
