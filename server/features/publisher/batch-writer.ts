import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import type { Clock, NewId } from '../../ports.js';
import {
  batchRoot,
  type Chunk,
  type Entry,
  entriesPerChunk,
  inOrder,
  maxEntries,
  nextHeader,
  type Predecessor,
  toChunk,
  toEntry,
} from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import type { Signer } from './signer.rules.js';
import type { TickStore } from './tick-store.js';

export interface Gathered {
  chunks: Chunk[];
  root: string;
  size: number;
}

/**
 * Reads the cards and hashes them into the tree of a batch. Yields to other work after every chunk: hashing 50,000
 * cards takes a second. Throws Error on too many cards or two of one anchor and corridor.
 */
export async function gatherBatch(cards: AsyncIterable<ScoreCard>, signal: AbortSignal): Promise<Gathered> {
  const entries: Entry[] = [];
  for await (const card of cards) {
    if (entries.length === maxEntries) throw new Error(`a batch holds at most ${maxEntries} entries`);
    entries.push(toEntry(card));
    if (entries.length % entriesPerChunk === 0) {
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  const sorted = inOrder(entries);
  const chunks: Chunk[] = [];
  for (let start = 0; start < sorted.length; start += entriesPerChunk) {
    chunks.push(toChunk(sorted.slice(start, start + entriesPerChunk), chunks.length));
    await nextTurn();
    signal.throwIfAborted();
  }
  return { chunks, root: batchRoot(chunks), size: sorted.length };
}

/** A header as it was published. */
export type SignedHeader = Pick<BatchDocument, 'header' | 'signature' | 'publicKey'>;

/** About 1 MB per transaction. */
const chunksPerTransaction = 8;
const deletesPerTransaction = 64;

export interface BatchWriter {
  /** Stores the entries, then commits the batch by inserting its signed header. */
  write(
    lease: HeldLease,
    content: Gathered & { formula: string },
    latest: Predecessor | null,
    signer: Signer,
  ): Promise<BatchDocument>;
  /** Commits an already signed batch that this database has lost; a later tick adds its receipt and event. */
  adopt(lease: HeldLease, content: Gathered, signed: SignedHeader): Promise<void>;
  /** Removes a batch that the oracle did not take because it has another one of that sequence. */
  withdraw(lease: HeldLease, batch: BatchDocument): Promise<void>;
  /** Removes the entries of an attempt that was never committed. */
  discard(lease: HeldLease, attempt: string): Promise<void>;
}

/**
 * Writes the entries under an attempt id of their own, which the header names once it is committed. Entries of an
 * attempt that no header names belong to no batch, so whatever a dying process leaves behind is invisible.
 */
export function createBatchWriter(deps: {
  batches: BatchStore;
  ticks: TickStore;
  inLeasedTransaction: InLeasedTransaction;
  newId: NewId;
  clock: Clock;
}): BatchWriter {
  const { batches, ticks, inLeasedTransaction, newId, clock } = deps;

  async function insertChunks(lease: HeldLease, attempt: string, chunks: readonly Chunk[]): Promise<void> {
    for (let from = 0; from < chunks.length; from += chunksPerTransaction) {
      lease.signal.throwIfAborted();
      const portion = chunks.slice(from, from + chunksPerTransaction);
      await inLeasedTransaction(lease, (session) => batches.insertChunks(session, attempt, portion));
    }
  }

  async function commit(
    lease: HeldLease,
    chunks: readonly Chunk[],
    sign: () => Promise<SignedHeader>,
  ): Promise<BatchDocument> {
    const attempt = newId();
    await inLeasedTransaction(lease, (session) => ticks.noteAttempt(session, attempt));
    await insertChunks(lease, attempt, chunks);
    const batch = toBatch(await sign(), attempt);
    await inLeasedTransaction(lease, async (session) => {
      await batches.insert(session, batch);
      await ticks.forgetAttempt(session);
    });
    return batch;
  }

  const writer: BatchWriter = {
    write: (lease, { chunks, root, size, formula }, latest, signer) =>
      commit(lease, chunks, async () => {
        const made = { at: new Date(clock()), keyId: signer.keyId };
        const header = nextHeader({ root, size, formula }, latest, made);
        return { header, signature: signer.sign(header), publicKey: signer.publicKey };
      }),

    async adopt(lease, { chunks }, signed) {
      await commit(lease, chunks, async () => signed);
    },

    async withdraw(lease, { _id, attempt }) {
      await inLeasedTransaction(lease, async (session) => {
        await batches.remove(session, _id);
        await ticks.noteAttempt(session, attempt);
      });
      await writer.discard(lease, attempt);
    },

    async discard(lease, attempt) {
      for (;;) {
        const ids = await batches.listChunkIds(attempt, deletesPerTransaction);
        if (ids.length === 0) break;
        await inLeasedTransaction(lease, (session) => batches.deleteChunks(session, ids));
      }
      await inLeasedTransaction(lease, (session) => ticks.forgetAttempt(session));
    },
  };
  return writer;
}

function toBatch({ header, signature, publicKey }: SignedHeader, attempt: string): BatchDocument {
  return {
    _id: header.sequence,
    header,
    headerHash: batchHeaderHash(header),
    signature,
    publicKey,
    attempt,
    open: true,
    announced: false,
    receipt: null,
    submittedAt: null,
  };
}
