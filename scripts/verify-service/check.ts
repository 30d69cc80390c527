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
import { type Get, NotThere, Refuted } from './api.js';

export interface CheckOptions {
  get: Get;
  /** The oracle, which is asked for its own record of every batch. */
  getFromOracle?: Get | undefined;
  /** Keys to trust besides the remembered ones; with neither, those that the service lists. */
  keys: readonly BatchKey[];
  /** What an earlier check found. */
  remembered: { head: BatchHead | null; keys: BatchKey[]; oracle: string | null } | undefined;
  /** Begin after the remembered head; else with the first batch. */
  newOnly: boolean;
  say(line: string): void;
}

export type Verified = Awaited<ReturnType<typeof checkService>>;

/** Members are kept as they are, unknown ones too: all of them are hashed. */
const entry = z.record(z.unknown());
type Entry = z.infer<typeof entry>;

/** Only what is used: a later release may add statuses and reasons that this one does not know. */
const healthAnswer = z.object({
  latest: z.object({ sequence: z.number() }).nullable(),
  keys: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
});
const proofAnswer = z.object({ entry, index: z.number(), size: z.number(), proof: z.array(z.string()) });
const oracleAnswer = z.object({ receipt: z.object({ headerHash: z.string(), oracle: z.string() }) });

/**
 * Downloads the log and checks forms, chain, signatures, entries, roots, receipts, one proof, and that it still contains
 * what was remembered. Holds one page at a time. Throws Refuted, or CannotCheck where it got no answer.
 */
export async function checkService(options: CheckOptions) {
  const { get, remembered, newOnly } = options;
  const health = await get('/api/publisher/health', healthAnswer);
  const trusted = [...options.keys, ...(remembered?.keys ?? [])];
  const keys = trusted.length > 0 ? trusted : health.keys;
  const known = remembered?.head ?? null;
  const from = newOnly && known !== null ? known.sequence : 1;
  const latest = health.latest?.sequence ?? 0;
  const receipts = createReceipts(options);
  const counts = { batches: 0, entries: 0 };
  let head: BatchHead | null = null;
  /** The newest entry with a score says most to the person who reads the report. */
  let shown: { header: PublishedBatch['header']; sample: Entry } | undefined;

  for await (const batch of pages(get, `/api/publisher/batches?order=asc&from=${from}`, publishedBatch)) {
    const { header } = batch;
    const { sequence } = header;
    if (head === null && sequence !== from) throw new Refuted(`batch ${from} is missing`);
    // A check that begins with a later batch compares that batch with what was remembered of it.
    head = checkHeader(batch, keys, head ?? (sequence === 1 ? null : undefined));
    if (known?.sequence === sequence && known.headerHash !== head.headerHash)
      throw new Refuted(`batch ${sequence} is not the one of the earlier check: history was rewritten`);
    const sample = await checkEntries(get, header);
    await receipts.check(batch);
    counts.batches += 1;
    counts.entries += header.size;
    if (sample !== undefined && (typeof shown?.sample.score !== 'string' || typeof sample.score === 'string'))
      shown = { header, sample };
    if (sequence % 100 === 0) options.say(`… batch ${sequence} of ${Math.max(sequence, latest)}`);
  }

  const end = head?.sequence ?? 0;
  const promised = Math.max(known?.sequence ?? 0, latest);
  if (end < promised) throw new Refuted(`batches ${end + 1} to ${promised} were there and are gone`);
  const proof = shown === undefined ? null : await checkProof(get, shown.header, shown.sample);
  return { head, keys, ...counts, ...receipts.found(), proof };
}

async function* pages<T>(get: Get, path: string, form: z.ZodType<T, z.ZodTypeDef, unknown>) {
  const page = z.object({ items: z.array(form), nextCursor: z.string().nullable() });
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = await get(`${path}&limit=100${cursor}`, page);
    yield* items;
    if (nextCursor === null) return;
    if (items.length === 0) throw new Refuted(`a page of ${path} is empty, and yet there is a next one`);
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

function checkHeader(
  { header, signature, headerHash, publicKey }: PublishedBatch,
  keys: readonly BatchKey[],
  previous: BatchHead | null | undefined,
): BatchHead {
  const { sequence, keyId } = header;
  const result = verifyBatch({ header, signature, keys, ...(previous === undefined ? {} : { previous }) });
  if (!result.ok) {
    const advice = ` (${keyId}; if you know that it is theirs: --key ${publicKey})`;
    const fault = `${result.reason}: ${batchFaults[result.reason]}`;
    throw new Refuted(`batch ${sequence}: ${fault}${result.reason === 'unknown_key' ? advice : ''}`);
  }
  if (headerHash !== result.headerHash) throw new Refuted(`batch ${sequence}: its header hash is another`);
  return { sequence, headerHash };
}

/** Hashes the entries page by page. They must be in order, with each anchor and corridor once. Returns one to be proven. */
async function checkEntries(get: Get, header: PublishedBatch['header']): Promise<Entry | undefined> {
  const { sequence, size, root, formula } = header;
  const refuse = (fault: keyof typeof batchFaults) =>
    new Refuted(`batch ${sequence}: ${fault}: ${batchFaults[fault]}`);
  const tree = createMerkleAccumulator();
  let sample: Entry | undefined;
  let [count, before] = [0, ''];
  const path = `/api/publisher/batches/${sequence}/entries?`;
  const items =
    size === 0 ? [] : orRefuted(pages(get, path, entry), `batch ${sequence}: it has no entries to show`);
  for await (const item of items) {
    const key = `${String(item.anchorId)} ${String(item.corridor)}`;
    if (key <= before) throw new Refuted(`batch ${sequence}: its entries are not in order`);
    before = key;
    if (sample === undefined || (sample.score === null && item.score !== null)) sample = item;
    count += 1;
    if (count > size) throw refuse('size_mismatch');
    try {
      tree.append(entryLeafHash(item));
    } catch (error) {
      throw error instanceof CanonicalJsonError ? refuse('malformed_entry') : error;
    }
    if (formulaOfEntry(item) !== formula) throw refuse('formula_mismatch');
  }
  if (count !== size) throw refuse('size_mismatch');
  if (toHex(tree.root()) !== root) throw refuse('root_mismatch');
  return sample;
}

/**
 * Receipts come in order. So where a batch has one, those before it that had none when they were read have got theirs
 * since, and are read again.
 */
function createReceipts({ get, getFromOracle, remembered }: CheckOptions) {
  const waiting: PublishedBatch[] = [];
  let oracle = remembered?.oracle ?? null;
  let [receipts, confirmed] = [0, 0];

  async function check(batch: PublishedBatch): Promise<void> {
    const { receipt, headerHash } = batch;
    const { sequence } = batch.header;
    if (receipt === null) {
      waiting.push(batch);
      return;
    }
    for (const late of waiting.splice(0)) {
      const again = await get(`/api/publisher/batches/${late.header.sequence}`, publishedBatch);
      if (again.headerHash !== late.headerHash)
        throw new Refuted(`batch ${late.header.sequence} is not the one that was read before`);
      if (again.receipt === null)
        throw new Refuted(
          `batch ${sequence} has a receipt, batch ${late.header.sequence} before it has none`,
        );
      await check(again);
    }
    const fault = receiptFault(receipt, { sequence, headerHash }, oracle ?? undefined);
    if (fault !== null) throw new Refuted(`batch ${sequence}: ${fault}: ${receiptFaults[fault]}`);
    oracle ??= receipt.oracle;
    receipts += 1;
    if (getFromOracle === undefined) return;
    const missing = `batch ${sequence}: the oracle does not have it`;
    const { receipt: own } = await found(getFromOracle(`/batches/${sequence}`, oracleAnswer), missing);
    if (own.headerHash !== headerHash)
      throw new Refuted(`batch ${sequence}: the oracle was given another one`);
    if (own.oracle !== oracle)
      throw new Refuted(`batch ${sequence}: the oracle asked is not the one of the receipts`);
    confirmed += 1;
  }

  return { check, found: () => ({ oracle, receipts, confirmed }) };
}

/** Checks one proof of the service: that this entry is in this batch. */
async function checkProof(get: Get, header: PublishedBatch['header'], sample: Entry) {
  const query = new URLSearchParams({ anchor: String(sample.anchorId), corridor: String(sample.corridor) });
  const path = `/api/publisher/batches/${header.sequence}/proof?${query}`;
  const claim = await found(
    get(path, proofAnswer),
    `batch ${header.sequence}: there is no proof of ${query}`,
  );
  if (claim.entry.anchorId !== sample.anchorId || !verifyEntry({ ...claim, header }))
    throw new Refuted(`batch ${header.sequence}: the proof of ${query} does not hold`);
  return { ...claim, sequence: header.sequence };
}

/** Refutes the service where it answers 404 for something that must be there. */
function found<T>(answer: Promise<T>, message: string): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof NotThere ? new Refuted(message) : error;
  });
}

async function* orRefuted<T>(items: AsyncGenerator<T>, message: string): AsyncGenerator<T> {
  for (;;) {
    const next = await found(items.next(), message);
    if (next.done) return;
    yield next.value;
  }
}
