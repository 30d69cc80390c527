import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fromHex, toBase64, toHex } from '../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519 } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { type BatchHeader, batchHeaderHash } from '../../contract/verification/verify-batch.js';
import { type OracleReceipt, receiptSigningBytes } from '../../contract/verification/verify-receipt.js';
import { type Clock, toInstant } from '../../server/ports.js';

/** A batch as the oracle returns it; its entries have their own endpoint. */
export interface TakenBatch {
  header: BatchHeader;
  signature: string;
  publicKey: string;
  receipt: OracleReceipt;
}

type Entries = readonly object[];

/** The batches that the oracle has accepted, in order, each sequence once. */
export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the ledger in `file`, or one in memory. The file has the oracle's secret key in its first line, then one
 * batch per line. A last line that a crash cut short is dropped: its batch was never answered.
 */
export function openLedger({ clock, file }: { clock: Clock; file?: string | undefined }) {
  const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [first, ...lines] = whole.trimEnd().split('\n');
  const secretKey = first ? fromHex(JSON.parse(first).oracleSecretKey) : randomBytes(32);
  const kept = lines.map((line) => JSON.parse(line) as TakenBatch & { entries: Entries });
  const batches: TakenBatch[] = kept.map(({ entries: _, ...batch }) => batch);
  const entries = kept.map((batch) => batch.entries);
  const publicKey = encodePublicKey(publicKeyOf(secretKey));
  const beginning = whole || `${JSON.stringify({ oracleSecretKey: toHex(secretKey) })}\n`;
  // Readable by its owner only, since it holds a secret key.
  if (file !== undefined) writeFileSync(file, beginning, { mode: 0o600 });

  function sign(unsigned: Omit<OracleReceipt, 'signature'>): OracleReceipt {
    const receipt = { ...unsigned, signature: '' };
    return { ...receipt, signature: toBase64(signEd25519(receiptSigningBytes(receipt), secretKey)) };
  }

  return {
    /** `G…`, the key that signs receipts. */
    publicKey,
    all: (): readonly TakenBatch[] => batches,
    /** Undefined where it was never accepted. */
    find: (sequence: number) => batches[sequence - 1],
    head: () => batches.at(-1),
    /** The entries as submitted; undefined where it was never accepted. */
    entriesOf: (sequence: number) => entries[sequence - 1],
    /** Stores a batch; if there is a file, it is in there before this returns. */
    take(batch: Omit<TakenBatch, 'receipt'>, given: Entries): TakenBatch {
      const receipt = sign({
        version: 1,
        sequence: batch.header.sequence,
        headerHash: batchHeaderHash(batch.header),
        receivedAt: toInstant(clock()),
        oracle: publicKey,
      });
      const taken = { ...batch, receipt };
      if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...taken, entries: given })}\n`);
      batches.push(taken);
      entries.push(given);
      return taken;
    },
  };
}
