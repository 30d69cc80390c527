import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import {
  type BatchHead,
  type BatchKey,
  batchFaults,
  batchHeaderHash,
  verifyBatch,
} from '../../../contract/verification/verify-batch.js';
import type { TakenBatch } from '../../reference-oracle/index.js';
import { entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import type { StoredBatch } from './stored.js';

/** The published log: the batches in answers, those that are stored and those that the oracle accepted are one chain. */
export function compareBatches(
  entries: readonly LedgerEntry[],
  batches: readonly StoredBatch[],
  taken: readonly TakenBatch[],
  keys: readonly BatchKey[],
): Finding[] {
  const found: Finding[] = [];
  const add = (sequence: number, what: string) => found.push({ of: 'batches', id: String(sequence), what });
  const stored = new Map(batches.map((batch) => [batch.header.sequence, batch]));
  const ofOracle = new Map(taken.map((batch) => [batch.header.sequence, batch]));

  for (const { sequence, headerHash, submitted } of entriesOf(entries, 'batch_told')) {
    const batch = stored.get(sequence);
    if (batch === undefined) add(sequence, 'It was shown and is lost.');
    else if (batch.headerHash !== headerHash)
      add(sequence, 'It was shown with another header: the log has forked.');
    else if (submitted && batch.receipt === null)
      add(sequence, 'It was shown with a receipt, which is lost.');
  }
  let previous: BatchHead | null = null;
  for (const [index, batch] of batches.entries()) {
    const { header, signature } = batch;
    const { sequence } = header;
    if (sequence !== index + 1) add(index + 1, `The log skips it: ${sequence} comes in its place.`);
    const verified = verifyBatch({ header, signature, entries: batch.entries, keys, previous });
    if (!verified.ok) add(sequence, `It does not verify: ${batchFaults[verified.reason]}`);
    if (!batch.announced) add(sequence, 'No event tells of it.');
    previous = { sequence, headerHash: batchHeaderHash(header) };
    const accepted = ofOracle.get(sequence);
    if (accepted === undefined) add(sequence, 'The oracle does not have it.');
    else if (asBytes(accepted) !== asBytes(batch))
      add(sequence, 'The oracle has another batch of this number.');
  }
  for (const sequence of ofOracle.keys())
    if (!stored.has(sequence)) add(sequence, 'The oracle has it, and it is not stored.');
  return found;
}

/** What the oracle and the database both keep of a batch. */
function asBytes({
  header,
  signature,
  receipt,
}: Pick<StoredBatch, 'header' | 'signature' | 'receipt'>): string {
  return canonicalJson({ header, signature, receipt });
}
