import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
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
export function openLedger(deps: { clock: Clock; file?: string | undefined }) {
  const { secretKey, batches, entries, descriptor } =
    deps.file === undefined ? inMemory() : onDisk(deps.file);
  const publicKey = encodePublicKey(publicKeyOf(secretKey));

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
    entriesOf: (sequence: number) => entries.get(sequence),
    /** Stores a batch; if there is a file, it is on disk before this returns. */
    take(batch: Omit<TakenBatch, 'receipt'>, given: Entries): TakenBatch {
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
    close(): void {
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
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  // Readable by its owner only, since it holds a secret key.
  const descriptor = openSync(file, 'a', 0o600);
  if (whole === '') {
    const secretKey = randomBytes(32);
    append(descriptor, { oracleSecretKey: toHex(secretKey) });
    return { secretKey, batches: [], entries: new Map(), descriptor };
  }
  truncateSync(file, Buffer.byteLength(whole));
  const [first = '', ...lines] = whole.trimEnd().split('\n');
  const taken = lines.map((line) => JSON.parse(line) as TakenBatch & { entries: Entries });
  return {
    secretKey: fromHex(JSON.parse(first).oracleSecretKey),
    batches: taken.map(({ entries: _, ...batch }) => batch),
    entries: new Map(taken.map(({ header, entries }) => [header.sequence, entries])),
    descriptor,
  };
}

function append(descriptor: number, value: unknown): void {
  writeSync(descriptor, `${JSON.stringify(value)}\n`);
  fsyncSync(descriptor);
}
