import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { LedgerEntry } from './ledger-entries.js';

export type { LedgerEntry } from './ledger-entries.js';

/**
 * The answers that the driver received and the requests that it sent, stored outside the service: what the service
 * acknowledged has to be in its database afterwards.
 *
 * The file has one JSON object per line, `{"kind": …, …}`; `LedgerEntry` names each kind and its members. The order of the
 * lines is the order in which things happened for the driver: an entry `…_sent` was written before its request left, any
 * other was on disk before its caller got the answer.
 */
export interface Ledger {
  /** Resolves when the entries are on disk. Those that are written at the same time share one fsync. */
  write(...entries: readonly LedgerEntry[]): Promise<void>;
  /** How many entries are on disk. */
  size(): number;
  close(): Promise<void>;
}

export async function openLedger(file: string): Promise<Ledger> {
  const handle = await open(file, 'ax');
  let waiting: LedgerEntry[] = [];
  let written = 0;
  let flushing: Promise<void> | undefined;

  /** Entries that arrive during a flush are in the next one. */
  async function flush(after: Promise<void> | undefined): Promise<void> {
    await after;
    const entries = waiting;
    waiting = [];
    flushing = undefined;
    await append(handle, entries);
    written += entries.length;
  }

  let last: Promise<void> | undefined;
  return {
    async write(...entries) {
      if (entries.length === 0) return;
      waiting.push(...entries);
      if (flushing === undefined) {
        flushing = flush(last);
        last = flushing;
      }
      return flushing;
    },
    size: () => written,
    async close() {
      await last;
      await handle.close();
    },
  };
}

async function append(handle: FileHandle, entries: readonly LedgerEntry[]): Promise<void> {
  await handle.appendFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  await handle.sync();
}

/** All entries in order. A last line that is cut short was never acknowledged and is left out. */
export async function readLedger(file: string): Promise<LedgerEntry[]> {
  const text = await readFile(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerEntry);
}
