/**
 * npm run archive-log -- address file
 *
 * Downloads every published batch that the file lacks, checks it, and appends it with its entries, a line each. Run it
 * again for what has been published since: from such a file `take-batches` restores batches. Ends with 0,
 * with 1 where a batch does not verify or does not follow those in the file, with 2 where the service could not be asked,
 * and with 3 where another run adds to the file.
 */
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { z } from 'zod';
import { publishedBatch } from '../contract/schemas/publisher.js';
import { parsePublicKey } from '../contract/verification/strkey.js';
import {
  type BatchHead,
  type BatchHeader,
  batchHeader,
  batchKeyId,
  verifyBatch,
} from '../contract/verification/verify-batch.js';
import { isMain } from '../server/is-main.js';
import { createApi, type Wait } from './verify-service/api.js';

export const exitCodes = { added: 0, invalidBatch: 1, couldNotAsk: 2, underWay: 3 } as const;

const batchPage = z.object({ items: z.array(publishedBatch) });
const entriesPage = z.object({ items: z.array(z.record(z.unknown())), nextCursor: z.string().nullable() });
const archivedHead = z.object({ header: batchHeader, headerHash: z.string() });

/** A lock that was not renewed for this long belongs to a run that died. Verifying a large batch delays its renewal. */
const staleLockMs = 60_000;

class InvalidBatch extends Error {}

class UnderWay extends Error {}

interface Terminal {
  say(line: string): void;
  /** Prints errors, and the reasons for long waits. */
  warn(line: string): void;
  wait: Wait;
}

type Api = ReturnType<typeof createApi>;

async function readEntries(api: Api, { sequence, size }: BatchHeader): Promise<object[]> {
  const path = `/api/publisher/batches/${sequence}/entries?limit=100`;
  const entries: object[] = [];
  let suffix = '';
  // If a service always names a next page, the loop still ends at the size of the batch.
  while (entries.length < size) {
    const { items, nextCursor } = await api.get(path + suffix, entriesPage);
    entries.push(...items);
    if (nextCursor === null || items.length === 0) break;
    suffix = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  return entries;
}

/** Does work on the file while no other run does: a long line is several writes, and those of two runs would be mixed. */
async function holding<T>(path: string, work: (throwIfLost: () => void) => Promise<T>): Promise<T> {
  let lost: Error | undefined;
  const release = await lock(path, {
    lockfilePath: `${path}.lock`,
    realpath: false,
    stale: staleLockMs,
    onCompromised: (error) => {
      lost = error;
    },
  }).catch((error: Error & { code?: string }) => {
    throw error.code === 'ELOCKED' ? new UnderWay(`another run adds to ${path}`) : error;
  });
  try {
    return await work(() => {
      if (lost !== undefined) throw lost;
    });
  } finally {
    if (lost === undefined) await release();
  }
}

/** The batch of the last complete line, and the bytes up to its end; a line that was cut short is overwritten. */
async function lastOf(
  file: Awaited<ReturnType<typeof open>>,
): Promise<{ head: BatchHead | null; bytes: number }> {
  let last: string | undefined;
  let bytes = 0;
  const { size } = await file.stat();
  for await (const line of file.readLines({ start: 0, autoClose: false })) {
    const length = Buffer.byteLength(line) + 1;
    if (bytes + length > size) break;
    bytes += length;
    last = line;
  }
  if (last === undefined) return { head: null, bytes };
  const { header, headerHash } = archivedHead.parse(JSON.parse(last));
  return { head: { sequence: header.sequence, headerHash }, bytes };
}

/** Resolves to the number of batches added. */
async function addTo(
  path: string,
  address: string,
  { wait, warn }: Terminal,
  throwIfLost: () => void,
): Promise<number> {
  const api = createApi({ baseUrl: address.replace(/\/+$/, ''), wait, say: warn });
  const file = await open(path, 'a+');
  try {
    let { head, bytes } = await lastOf(file);
    await file.truncate(bytes);
    for (let added = 0; ; added += 1) {
      const from = (head?.sequence ?? 0) + 1;
      const { items } = await api.get(`/api/publisher/batches?order=asc&from=${from}&limit=1`, batchPage);
      const [batch] = items;
      if (batch === undefined) return added;
      const { header, headerHash, signature, publicKey } = batch;
      const entries = await readEntries(api, header);
      // Any key is accepted here; restoring a batch decides whose key it is.
      const keys = [{ keyId: batchKeyId(parsePublicKey(publicKey).key), publicKey }];
      const result = verifyBatch({ header, signature, entries, keys, previous: head });
      if (!result.ok) throw new InvalidBatch(`batch ${from} of ${address} is not valid: ${result.reason}`);
      throwIfLost();
      await file.appendFile(`${JSON.stringify({ header, headerHash, signature, publicKey, entries })}\n`);
      await file.datasync();
      head = { sequence: header.sequence, headerHash: result.headerHash };
    }
  } finally {
    await file.close();
  }
}

/** Appends the batches that the file lacks, and prints the result. Returns the exit code. */
export async function archiveLog(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [address, path, ...more] = args;
    if (address === undefined || path === undefined || more.length > 0)
      throw new Error('usage: archive-log address file');
    const added = await holding(path, (throwIfLost) => addTo(path, address, terminal, throwIfLost));
    terminal.say(`added to ${path}: ${added} ${added === 1 ? 'batch' : 'batches'}`);
    return exitCodes.added;
  } catch (error) {
    terminal.warn(error instanceof Error ? error.message : String(error));
    if (error instanceof UnderWay) return exitCodes.underWay;
    return error instanceof InvalidBatch ? exitCodes.invalidBatch : exitCodes.couldNotAsk;
  }
}

if (isMain(import.meta.url)) {
  process.exitCode = await archiveLog(process.argv.slice(2), {
    say: (line) => console.log(line),
    warn: (line) => console.error(line),
    wait: (waitMs) => delay(waitMs),
  });
}
