import { unwrap } from '../../contract/client/fairlead-error.js';
import type { createClient } from '../../contract/client/validating/create-client.js';
import type { PublishedBatch } from '../../contract/schemas/publisher.js';
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

/** Something that was published does not hold; the message says where and how. */
export class Refuted extends Error {}

type Publisher = ReturnType<typeof createClient>['publisher'];
type Header = PublishedBatch['header'];
type Proof = { anchorId: string; corridor: string; score: string | null };

export interface CheckOptions {
  /** Of the client that validates answers, and takes batches only as they were signed. */
  publisher: Publisher;
  /** Keys to trust besides the remembered ones; with neither, those that the service lists. */
  keys: readonly BatchKey[];
  /** What an earlier check found. */
  remembered: { head: BatchHead | null; keys: BatchKey[]; oracle: string | null } | undefined;
  say(line: string): void;
}

export type Verified = Awaited<ReturnType<typeof checkService>>;

/**
 * Downloads the log and checks forms, chain, signatures, entries, roots, receipts, one proof, and that it still contains
 * what was remembered. Holds one page at a time. Throws Refuted, and what the client throws.
 */
export async function checkService({ publisher, remembered, say, ...options }: CheckOptions) {
  const health = unwrap(await publisher.getPublisherHealth());
  const trusted = [...options.keys, ...(remembered?.keys ?? [])];
  const keys = trusted.length > 0 ? trusted : health.keys;
  const known = remembered?.head ?? null;
  const latest = Math.max(known?.sequence ?? 0, health.latest?.sequence ?? 0);
  const receipts = createReceipts(publisher, remembered?.oracle ?? null);
  const counts = { batches: 0, entries: 0 };
  let head: BatchHead | null = null;
  /** The newest entry with a score says most to the person who reads the report. */
  let shown: { header: Header; sample: Proof } | undefined;

  for await (const batch of publisher.listBatches.all({ query: { order: 'asc' } })) {
    const { header } = batch;
    const { sequence } = header;
    if (head === null && sequence !== 1) throw new Refuted('batch 1 is missing');
    head = checkHeader(batch, keys, head);
    if (known?.sequence === sequence && known.headerHash !== head.headerHash)
      throw new Refuted(`batch ${sequence} is not the one of the earlier check: history was rewritten`);
    const sample = await checkEntries(publisher, header);
    await receipts.check(batch);
    counts.batches += 1;
    counts.entries += header.size;
    if (sample !== undefined && (shown?.sample.score == null || sample.score !== null))
      shown = { header, sample };
    if (sequence % 100 === 0) say(`… batch ${sequence} of ${Math.max(sequence, latest)}`);
  }

  const end = head?.sequence ?? 0;
  if (end < latest) throw new Refuted(`batches ${end + 1} to ${latest} were there and are gone`);
  const proof = shown === undefined ? null : await checkProof(publisher, shown.header, shown.sample);
  return { head, keys, ...counts, ...receipts.found(), proof };
}

function checkHeader(
  { header, signature, headerHash, publicKey }: PublishedBatch,
  keys: readonly BatchKey[],
  previous: BatchHead | null,
): BatchHead {
  const { sequence, keyId } = header;
  const result = verifyBatch({ header, signature, keys, previous });
  if (!result.ok) {
    const advice = ` (${keyId}; if you know that it is theirs: --key ${publicKey})`;
    const fault = `${result.reason}: ${batchFaults[result.reason]}`;
    throw new Refuted(`batch ${sequence}: ${fault}${result.reason === 'unknown_key' ? advice : ''}`);
  }
  if (headerHash !== result.headerHash) throw new Refuted(`batch ${sequence}: its header hash is another`);
  return { sequence, headerHash };
}

/** Hashes the entries page by page. They must be in order, with each anchor and corridor once. Returns one to be proven. */
async function checkEntries(publisher: Publisher, header: Header): Promise<Proof | undefined> {
  const { sequence, size, root, formula } = header;
  const refuse = (fault: keyof typeof batchFaults) =>
    new Refuted(`batch ${sequence}: ${fault}: ${batchFaults[fault]}`);
  const tree = createMerkleAccumulator();
  let sample: Proof | undefined;
  let [count, before] = [0, ''];
  const items = publisher.listBatchEntries.all({ params: { sequence: String(sequence) } });
  for await (const item of size === 0 ? [] : items) {
    const key = `${item.anchorId} ${item.corridor}`;
    if (key <= before) throw new Refuted(`batch ${sequence}: its entries are not in order`);
    before = key;
    if (sample === undefined || (sample.score === null && item.score !== null)) sample = item;
    count += 1;
    if (count > size) throw refuse('size_mismatch');
    try {
      tree.append(entryLeafHash({ ...item }));
    } catch (error) {
      throw error instanceof CanonicalJsonError ? refuse('malformed_entry') : error;
    }
    if (formulaOfEntry({ ...item }) !== formula) throw refuse('formula_mismatch');
  }
  if (count !== size) throw refuse('size_mismatch');
  if (toHex(tree.root()) !== root) throw refuse('root_mismatch');
  return sample;
}

/**
 * Receipts come in order. So where a batch has one, those before it that had none when they were read have got theirs
 * since, and are read again.
 */
function createReceipts(publisher: Publisher, known: string | null) {
  const waiting: PublishedBatch[] = [];
  let [oracle, receipts] = [known, 0];

  async function check(batch: PublishedBatch): Promise<void> {
    const { receipt, headerHash, header } = batch;
    const { sequence } = header;
    if (receipt === null) {
      waiting.push(batch);
      return;
    }
    for (const late of waiting.splice(0)) {
      const number = late.header.sequence;
      const again = unwrap(await publisher.getBatch({ params: { sequence: String(number) } }));
      if (again.headerHash !== late.headerHash)
        throw new Refuted(`batch ${number} is not the one that was read before`);
      if (again.receipt === null)
        throw new Refuted(`batch ${sequence} has a receipt, batch ${number} before it has none`);
      await check(again);
    }
    const fault = receiptFault(receipt, { sequence, headerHash }, oracle ?? undefined);
    if (fault !== null) throw new Refuted(`batch ${sequence}: ${fault}: ${receiptFaults[fault]}`);
    oracle ??= receipt.oracle;
    receipts += 1;
  }

  return { check, found: () => ({ oracle, receipts }) };
}

/** Checks one proof of the service: that this entry is in this batch. */
async function checkProof(publisher: Publisher, header: Header, { anchorId: anchor, corridor }: Proof) {
  const params = { sequence: String(header.sequence) };
  const claim = unwrap(await publisher.proveBatchEntry({ params, query: { anchor, corridor } }));
  const holds =
    claim.entry.anchorId === anchor && verifyEntry({ ...claim, entry: { ...claim.entry }, header });
  if (!holds) throw new Refuted(`batch ${header.sequence}: the proof of ${anchor} does not hold`);
  return { ...claim, sequence: header.sequence };
}
