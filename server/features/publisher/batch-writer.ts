import { type BatchHeader, batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { NewId } from '../../ports.js';
import { type Chunk, nextHeader, type Predecessor } from './batch.rules.js';
import type { Fenced } from './fenced.js';
import type { Gathered } from './gather.js';
import type { Signer } from './signer.rules.js';
import type { OnStep } from './steps.js';
import type { BatchRow, ChunkRow, PublisherStore } from './store.js';

/** About 1 MB a transaction. */
const chunksPerTransaction = 8;
const deletesPerTransaction = 64;

export interface BatchWriter {
  /** Stores the entries, then commits the batch by inserting its signed header. */
  write(lease: HeldLease, content: Gathered, latest: Predecessor | null, signer: Signer): Promise<BatchRow>;
  /** Removes the entries of an attempt that was never committed. */
  discard(lease: HeldLease, attempt: string): Promise<void>;
}

/**
 * Writes under an attempt of its own, which the header names once it is committed: entries of an attempt that no
 * header names are nobody's, so whatever a dying process leaves is invisible. Every write is fenced by the lease.
 */
export function createBatchWriter(deps: {
  store: PublisherStore;
  fenced: Fenced;
  newId: NewId;
  formula: string;
  onStep: OnStep;
}): BatchWriter {
  const { store, fenced, newId, formula, onStep } = deps;

  async function noteAttempt(lease: HeldLease, attempt: string): Promise<void> {
    await fenced(lease, async (session) => {
      await store.state.updateOne({ _id: 'publisher' }, { $set: { attempt } }, { session });
    });
  }

  async function insertChunks(lease: HeldLease, attempt: string, chunks: readonly Chunk[]): Promise<void> {
    for (let from = 0; from < chunks.length; from += chunksPerTransaction) {
      lease.signal.throwIfAborted();
      const rows = chunks
        .slice(from, from + chunksPerTransaction)
        .map((chunk): ChunkRow => ({ _id: `${attempt}:${chunk.index}`, attempt, ...chunk }));
      await fenced(lease, async (session) => {
        await store.chunkBulk.insertMany(rows, { session });
      });
      await onStep('entries_written');
    }
  }

  async function insertHeader(lease: HeldLease, row: BatchRow): Promise<void> {
    await fenced(lease, async (session) => {
      await store.batches.create([row], { session });
      await store.keys.updateOne(
        { _id: row.header.keyId },
        { $setOnInsert: { publicKey: row.publicKey, firstSequence: row._id } },
        { session, upsert: true },
      );
      await store.state.updateOne({ _id: 'publisher' }, { $set: { attempt: null } }, { session });
    });
  }

  return {
    async write(lease, { chunks, root, size }, latest, signer) {
      const attempt = newId();
      await noteAttempt(lease, attempt);
      await onStep('attempt_noted');
      await insertChunks(lease, attempt, chunks);
      const made = { at: await store.now(), keyId: signer.keyId };
      const header = nextHeader({ root, size, formula }, latest, made);
      const row = toRow(header, signer, attempt);
      await insertHeader(lease, row);
      await onStep('header_committed');
      return row;
    },

    async discard(lease, attempt) {
      for (;;) {
        const rows = await store.chunks
          .find({ attempt }, { _id: 1 })
          .limit(deletesPerTransaction)
          .lean<{ _id: string }[]>();
        if (rows.length === 0) break;
        await fenced(lease, async (session) => {
          await store.chunks.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session });
        });
      }
      await fenced(lease, async (session) => {
        await store.state.updateOne({ _id: 'publisher', attempt }, { $set: { attempt: null } }, { session });
      });
    },
  };
}

function toRow(header: BatchHeader, signer: Signer, attempt: string): BatchRow {
  return {
    _id: header.sequence,
    header,
    headerHash: batchHeaderHash(header),
    signature: signer.sign(header),
    publicKey: signer.publicKey,
    attempt,
    open: true,
    announced: false,
    receipt: null,
    submittedAt: null,
  };
}
