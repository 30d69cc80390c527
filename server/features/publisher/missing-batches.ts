import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import type { BatchDocument } from './batch-store.js';
import { askOracle } from './continuity.js';
import type { OracleWord } from './continuity.rules.js';
import type { OracleRecords } from './oracle-record.js';

/**
 * A published batch with all its entries in order, not verified yet. The public key that its source names is left out,
 * since no signature covers it.
 */
export interface WholeBatch extends Pick<BatchDocument, 'header' | 'signature'> {
  entries: object[];
}

/** A copy of batches of the log outside the database. */
export interface Archive {
  /** Null if the archive lacks the batch. Sequences must be requested in ascending order. */
  find(sequence: number): Promise<WholeBatch | null>;
}

/** The log cannot be completed from the given sources; the message says what is missing. */
export class CannotAdopt extends Error {}

/** The oracle cannot be reached, so its record is unknown. */
export class OracleAway extends Error {}

export interface MissingBatches {
  /** Who knows which batch is the last one. */
  wholeBy: 'oracle' | 'operator';
  /** Returns null after the last batch. Throws CannotAdopt if the batch is not available. */
  next(sequence: number): Promise<WholeBatch | null>;
  /** Throws CannotAdopt if the log that now ends with `head` is not the one that the oracle knows, or OracleAway. */
  confirm(head: BatchHead | null): Promise<void>;
}

/**
 * The batches after `head`. The oracle knows which ones it took; their entries come from the oracle or an archive. A last
 * batch that was published while the oracle was away is only in an archive. Without an oracle that shows its record, all
 * batches come from the archive, and the operator gives the `last` one.
 */
export async function missingBatches(options: {
  head: BatchHead | null;
  last: number | undefined;
  records: OracleRecords | undefined;
  archive: Archive | undefined;
  signal: AbortSignal;
}): Promise<MissingBatches> {
  const { head, last, records, archive, signal } = options;
  const word: OracleWord =
    records === undefined ? { kind: 'silent' } : await heardFrom(records, head, signal);
  if (records !== undefined && word.kind !== 'silent') {
    return {
      wholeBy: 'oracle',
      next: (sequence) => fromOracle(records, archive, sequence),
      async confirm(reached) {
        const last = await heardFrom(records, reached, signal);
        if (last.kind === 'behind')
          throw new CannotAdopt(`The log is not the one of this oracle: ${last.detail}.`);
      },
    };
  }
  if (last === undefined) {
    throw new CannotAdopt(
      'No oracle shows which batch is the last one. Ask those who verify the log, and name it: --head N.',
    );
  }
  return {
    wholeBy: 'operator',
    next: (sequence) => fromArchive(archive, sequence, last),
    confirm: async () => undefined,
  };
}

async function heardFrom(
  records: OracleRecords,
  head: BatchHead | null,
  signal: AbortSignal,
): Promise<OracleWord> {
  const word = await askOracle(records, head, signal);
  if (word.kind === 'away') throw new OracleAway(`The oracle cannot be asked: ${word.detail}`);
  return word;
}

async function fromArchive(archive: Archive | undefined, sequence: number, last: number) {
  if (sequence > last) return null;
  const found = await archive?.find(sequence);
  if (found) return found;
  throw new CannotAdopt(`Batch ${sequence} cannot be had: name an archive that has it, --archive FILE.`);
}

async function fromOracle(
  records: OracleRecords,
  archive: Archive | undefined,
  sequence: number,
): Promise<WholeBatch | null> {
  const record = await records.read(sequence);
  // A batch is public before the oracle has it, so the last one may have been published although the oracle lacks it.
  if (record.kind === 'absent') return (await archive?.find(sequence)) ?? null;
  if (record.kind !== 'taken')
    throw new OracleAway(`The oracle does not show batch ${sequence}: ${record.detail}`);
  const { header, signature, receipt } = record.batch;
  const kept = await archive?.find(sequence);
  const entries = kept?.signature === signature ? kept.entries : await records.readEntries(sequence);
  if (entries !== null) return { header, signature, entries };
  throw new CannotAdopt(
    `The oracle has batch ${sequence} (${receipt.headerHash}) and does not show its entries: name an archive that has them, --archive FILE.`,
  );
}
