import { z } from 'zod';
import { type PublishedBatch, publishedBatch } from '../../contract/schemas/publisher.js';
import { toHex } from '../../contract/verification/bytes.js';
import { CanonicalJsonError } from '../../contract/verification/canonical-json.js';
import { formulaOfEntry } from '../../contract/verification/formulas.js';
import { createMerkleAccumulator } from '../../contract/verification/merkle.js';
import {
  type BatchHead,
  type BatchKey,
  batchFaults,
  entryLeafHash,
  verifyBatch,
  verifyEntry,
} from '../../contract/verification/verify-batch.js';
import { receiptFault, receiptFaults } from '../../contract/verification/verify-receipt.js';
import { type Api, Malformed, NotThere } from './api.js';
import type { Remembered } from './memory.js';

/** An entry as it was published, of which nothing is known yet. */
type Entry = Readonly<Record<string, unknown>>;

/** The service has published something that does not hold; the message says where and how. */
export class Refuted extends Error {}

export interface CheckOptions {
  api: Api;
  /** The oracle, which is asked for its own record of every batch. */
  oracleApi?: Api | undefined;
  /** Keys to trust besides the remembered ones; with neither, those that the service lists. */
  keys: readonly BatchKey[];
  /** Key of the oracle's receipts, `G…`; else the remembered one, else the first one met. */
  oracleKey?: string | undefined;
  remembered: Remembered | undefined;
  /** Begin after the remembered head; else with the first batch. */
  newOnly: boolean;
  /** Called after each batch. */
  onBatch?: (sequence: number, latest: number) => void;
}

export interface Verified {
  head: BatchHead | null;
  keys: BatchKey[];
  oracle: string | null;
  batches: number;
  entries: number;
  receipts: number;
  /** Batches that the oracle itself confirmed. */
  confirmed: number;
  /** The first batch since the newest receipt that had none when it was read. */
  withoutReceipt: number | null;
  /** The entry whose proof was checked: of the newest batch with a score, else of the newest one; null where there is none. */
  proof: Proved | null;
}

/** One entry that was proven to be in a batch. */
export interface Proved {
  entry: Entry;
  /** The index, from 0. */
  index: number;
  size: number;
  /** How many hashes lead from the entry to the root. */
  hashes: number;
  sequence: number;
}

/** Only what is used: a later release may add statuses and reasons that this one does not know. */
const healthAnswer = z.object({
  latest: z.object({ sequence: z.number() }).nullable(),
  keys: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
});
const batchPage = z.object({ items: z.array(publishedBatch), nextCursor: z.string().nullable() });
/** Members are kept as they are, unknown ones too: all of them are hashed. */
const entry = z.record(z.unknown());
const entriesPage = z.object({ items: z.array(entry), nextCursor: z.string().nullable() });
const proofAnswer = z.object({ entry, index: z.number(), size: z.number(), proof: z.array(z.string()) });
const oracleAnswer = z.object({ receipt: z.object({ headerHash: z.string(), oracle: z.string() }) });

/**
 * Downloads the log and checks forms, chain, signatures, entries, roots, receipts, one proof, and that it still contains
 * what was remembered. Holds one page at a time. Throws Refuted, or CannotCheck where it got no answer.
 */
export async function checkService(options: CheckOptions): Promise<Verified> {
  try {
    return await check(options);
  } catch (error) {
    if (error instanceof Malformed) throw new Refuted(`not of the documented form: ${error.message}`);
    throw error;
  }
}

async function check(options: CheckOptions): Promise<Verified> {
  const { api, remembered, newOnly } = options;
  const health = await api.get('/api/publisher/health', healthAnswer);
  const trusted = [...options.keys, ...(remembered?.keys ?? [])];
  const keys = trusted.length > 0 ? trusted : health.keys;
  const known = remembered?.head ?? null;
  const from = newOnly && known !== null ? known.sequence : 1;
  const verified: Verified = {
    head: null,
    keys,
    oracle: options.oracleKey ?? remembered?.oracle ?? null,
    batches: 0,
    entries: 0,
    receipts: 0,
    confirmed: 0,
    withoutReceipt: null,
    proof: null,
  };
  let proving: PublishedBatch | undefined;
  let sample: Entry | undefined;

  for await (const batch of batchesFrom(api, from)) {
    const { sequence } = batch.header;
    // A check that begins with a later batch compares that batch with what was remembered of it.
    const previous = verified.head ?? (sequence === 1 ? null : undefined);
    if (verified.head === null && sequence !== from) throw new Refuted(`batch ${from} is missing`);
    verified.head = checkHeader(batch, keys, previous);
    if (known?.sequence === sequence && known.headerHash !== verified.head.headerHash) {
      throw new Refuted(`batch ${sequence} is not the one of the earlier check: history was rewritten`);
    }
    const entries = await checkEntries(api, batch);
    await checkLateReceipts(options, batch, verified);
    await checkReceipt(options, batch, verified);
    verified.batches += 1;
    verified.entries += batch.header.size;
    // The newest entry with a score says most to the person who reads the report.
    if (typeof sample?.score !== 'string' || typeof entries.sample?.score === 'string') {
      proving = batch;
      sample = entries.sample;
    }
    options.onBatch?.(sequence, Math.max(sequence, health.latest?.sequence ?? 0));
  }

  const end = verified.head?.sequence ?? 0;
  const promised = Math.max(known?.sequence ?? 0, health.latest?.sequence ?? 0);
  if (end < promised) throw new Refuted(`batches ${end + 1} to ${promised} were there and are gone`);
  if (proving !== undefined && sample !== undefined) verified.proof = await checkProof(api, proving, sample);
  return verified;
}

async function* batchesFrom(api: Api, from: number): AsyncGenerator<PublishedBatch> {
  const question = `order=asc&from=${from}&limit=100`;
  let query = question;
  for (;;) {
    const { items, nextCursor } = await api.get(`/api/publisher/batches?${query}`, batchPage);
    yield* items;
    if (nextCursor === null) return;
    if (items.length === 0) throw new Refuted('a page of batches is empty, and yet there is a next one');
    query = `${question}&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

function checkHeader(
  batch: PublishedBatch,
  keys: readonly BatchKey[],
  previous: BatchHead | null | undefined,
): BatchHead {
  const { header, signature, headerHash } = batch;
  const { sequence, keyId } = header;
  const result = verifyBatch({ header, signature, keys, ...(previous === undefined ? {} : { previous }) });
  if (!result.ok) {
    const advice =
      result.reason === 'unknown_key'
        ? ` (${keyId}; if you know that it is theirs: --key ${batch.publicKey})`
        : '';
    throw new Refuted(`batch ${sequence}: ${result.reason}: ${batchFaults[result.reason]}${advice}`);
  }
  if (headerHash !== result.headerHash) throw new Refuted(`batch ${sequence}: its header hash is another`);
  return { sequence, headerHash };
}

/** Hashes the entries page by page. They must be in order, with each anchor and corridor once. */
async function checkEntries(api: Api, { header }: PublishedBatch): Promise<{ sample: Entry | undefined }> {
  const { sequence, size, root, formula } = header;
  const tree = createMerkleAccumulator();
  const fail = (fault: keyof typeof batchFaults) =>
    new Refuted(`batch ${sequence}: ${fault}: ${batchFaults[fault]}`);
  let sample: Entry | undefined;
  let count = 0;
  let before = '';
  let query = 'limit=100';
  while (size > 0) {
    const path = `/api/publisher/batches/${sequence}/entries?${query}`;
    const { items, nextCursor } = await orRefuted(
      api.get(path, entriesPage),
      `batch ${sequence}: it has no entries to show`,
    );
    for (const item of items) {
      const key = `${String(item.anchorId)} ${String(item.corridor)}`;
      if (key <= before) throw new Refuted(`batch ${sequence}: its entries are not in order`);
      before = key;
      if (sample === undefined || (sample.score === null && item.score !== null)) sample = item;
      count += 1;
      if (count > size) throw fail('size_mismatch');
      tree.append(hashOf(item, fail));
      if (formulaOfEntry(item) !== formula) throw fail('formula_mismatch');
    }
    if (nextCursor === null || items.length === 0) break;
    query = `limit=100&cursor=${encodeURIComponent(nextCursor)}`;
  }
  if (count !== size) throw fail('size_mismatch');
  if (toHex(tree.root()) !== root) throw fail('root_mismatch');
  return { sample };
}

function hashOf(item: Entry, fail: (fault: 'malformed_entry') => Refuted): Uint8Array {
  try {
    return entryLeafHash(item);
  } catch (error) {
    if (error instanceof CanonicalJsonError) throw fail('malformed_entry');
    throw error;
  }
}

/** A batch without a receipt is noted: it must have one once a later batch has. */
async function checkReceipt(
  { oracleApi }: CheckOptions,
  batch: PublishedBatch,
  verified: Verified,
): Promise<void> {
  const { receipt, headerHash } = batch;
  const { sequence } = batch.header;
  if (receipt === null) {
    verified.withoutReceipt ??= sequence;
    return;
  }
  const fault = receiptFault(receipt, { sequence, headerHash }, verified.oracle ?? undefined);
  if (fault !== null) throw new Refuted(`batch ${sequence}: ${fault}: ${receiptFaults[fault]}`);
  verified.oracle ??= receipt.oracle;
  verified.receipts += 1;
  if (oracleApi !== undefined) await confirm(oracleApi, batch, verified);
}

/**
 * Receipts come in order. So if this batch has one, those before it that had none when they were read have got theirs
 * since: they are read again and their receipts are checked. Their headers must still lead to this batch.
 */
async function checkLateReceipts(options: CheckOptions, batch: PublishedBatch, verified: Verified) {
  const from = verified.withoutReceipt;
  const { sequence, previous } = batch.header;
  if (batch.receipt === null || from === null) return;
  let head: BatchHead | undefined;
  for await (const again of batchesFrom(options.api, from)) {
    head = checkHeader(again, verified.keys, head);
    if (again.receipt === null) {
      throw new Refuted(`batch ${sequence} has a receipt, batch ${head.sequence} before it has none`);
    }
    if (head.sequence === from) verified.withoutReceipt = null;
    await checkReceipt(options, again, verified);
    if (head.sequence >= sequence - 1) break;
  }
  if (head?.headerHash !== previous || verified.withoutReceipt !== null) {
    throw new Refuted(`batches ${from} to ${sequence - 1} are not the ones that were read before`);
  }
}

async function confirm(oracle: Api, batch: PublishedBatch, verified: Verified): Promise<void> {
  const { sequence } = batch.header;
  const { receipt } = await orRefuted(
    oracle.get(`/batches/${sequence}`, oracleAnswer),
    `batch ${sequence}: the oracle does not have it`,
  );
  if (receipt.headerHash !== batch.headerHash) {
    throw new Refuted(`batch ${sequence}: the oracle was given another one`);
  }
  if (verified.oracle !== null && receipt.oracle !== verified.oracle) {
    throw new Refuted(`batch ${sequence}: the oracle asked is not the one of the receipts`);
  }
  verified.confirmed += 1;
}

/** Checks one proof of the service: that this entry is in this batch. */
async function checkProof(api: Api, { header }: PublishedBatch, sample: Entry): Promise<Proved> {
  const query = new URLSearchParams({ anchor: String(sample.anchorId), corridor: String(sample.corridor) });
  const claim = await orRefuted(
    api.get(`/api/publisher/batches/${header.sequence}/proof?${query}`, proofAnswer),
    `batch ${header.sequence}: there is no proof of ${query}`,
  );
  if (claim.entry.anchorId !== sample.anchorId || !verifyEntry({ ...claim, header })) {
    throw new Refuted(`batch ${header.sequence}: the proof of ${query} does not hold`);
  }
  const { entry, index, size, proof } = claim;
  return { entry, index, size, hashes: proof.length, sequence: header.sequence };
}

/** Refutes the service where it answers 404 for something that must be there. */
async function orRefuted<T>(answer: Promise<T>, message: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotThere) throw new Refuted(message);
    throw error;
  }
}
