import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { fromHex, toBase64, toHex } from '../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519 } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { batchHeader, batchHeaderHash } from '../../contract/verification/verify-batch.js';
import {
  type OracleReceipt,
  oracleReceipt,
  receiptSigningBytes,
} from '../../contract/verification/verify-receipt.js';
import { type Clock, toInstant } from '../../server/ports.js';

const takenBatch = z.object({
  header: batchHeader,
  signature: z.string(),
  publicKey: z.string(),
  receipt: oracleReceipt,
});

/** A line of the file; releases before 3.0.0 kept no entries. */
const line = takenBatch.extend({ entries: z.array(z.record(z.unknown())).optional() });

type Entries = readonly object[];

/** A batch as the oracle returns it; its entries have their own endpoint. */
export type TakenBatch = z.infer<typeof takenBatch>;

const firstLine = z.object({ oracleSecretKey: z.string().regex(/^[0-9a-f]{64}$/) });

/** The batches that the oracle has accepted, in order, each sequence once. */
export interface Ledger {
  /** `G…`, the key that signs receipts. */
  publicKey: string;
  all(): readonly TakenBatch[];
  /** Undefined where it was never accepted. */
  find(sequence: number): TakenBatch | undefined;
  head(): TakenBatch | undefined;
  /** The entries as submitted; undefined if there were none. */
  entriesOf(sequence: number): Entries | undefined;
  /** Stores a batch; if there is a file, it is on disk before this returns. */
  take(batch: Omit<TakenBatch, 'receipt'>, entries: Entries): TakenBatch;
  close(): void;
}

/**
 * Opens the ledger in `file`, or one in memory. The file has the oracle's secret key in its first line, then one
 * batch per line. A last line that a crash cut short is dropped: its batch was never answered.
 */
export function openLedger(deps: { clock: Clock; file?: string }): Ledger {
  const { secretKey, batches, entries, descriptor } =
    deps.file === undefined ? inMemory() : onDisk(deps.file);
  const publicKey = encodePublicKey(publicKeyOf(secretKey));

  function sign(unsigned: Omit<OracleReceipt, 'signature'>): OracleReceipt {
    const receipt = { ...unsigned, signature: '' };
    return { ...receipt, signature: toBase64(signEd25519(receiptSigningBytes(receipt), secretKey)) };
  }

  return {
    publicKey,
    all: () => batches,
    find: (sequence) => batches[sequence - 1],
    head: () => batches.at(-1),
    entriesOf: (sequence) => entries.get(sequence),
    take(batch, given) {
      const receipt = sign({
        version: 1,
        sequence: batch.header.sequence,
        headerHash: batchHeaderHash(batch.header),
        receivedAt: toInstant(deps.clock()),
        oracle: publicKey,
      });
      const taken = { ...batch, receipt };
      if (descriptor !== undefined) append(descriptor, { ...taken, entries: given });
      batches.push(taken);
      entries.set(batch.header.sequence, given);
      return taken;
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

interface Opened {
  secretKey: Uint8Array;
  batches: TakenBatch[];
  entries: Map<number, Entries>;
  descriptor?: number;
}

function inMemory(): Opened {
  return { secretKey: randomBytes(32), batches: [], entries: new Map() };
}

function onDisk(file: string): Opened {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isNew = text === '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  // Readable by its owner only, since it holds a secret key.
  const descriptor = openSync(file, 'a', 0o600);
  if (isNew) {
    const secretKey = randomBytes(32);
    append(descriptor, { oracleSecretKey: toHex(secretKey) });
    return { secretKey, batches: [], entries: new Map(), descriptor };
  }
  try {
    const [first = '', ...lines] = whole.trimEnd().split('\n');
    const { oracleSecretKey } = firstLine.parse(JSON.parse(first));
    const batches: TakenBatch[] = [];
    const entries = new Map<number, Entries>();
    for (const text of lines) {
      const { entries: given, ...taken } = line.parse(JSON.parse(text));
      batches.push(taken);
      if (given !== undefined) entries.set(taken.header.sequence, given);
    }
    truncateSync(file, Buffer.byteLength(whole));
    return { secretKey: fromHex(oracleSecretKey), batches, entries, descriptor };
  } catch (cause) {
    closeSync(descriptor);
    throw new Error(`${file} is not the ledger of a reference oracle: move it away`, { cause });
  }
}

function append(descriptor: number, value: unknown): void {
  writeSync(descriptor, `${JSON.stringify(value)}\n`);
  fsyncSync(descriptor);
}
