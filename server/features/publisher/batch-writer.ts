import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import { type Entry, inOrder, toEntry } from './batch.rules.js';
import { rootOf, treeOver } from './merkle-tree.rules.js';
import type { BatchDocument, BatchStore } from './store.js';

/** Other work runs after so many cards: hashing 10,000 of them takes 200 ms. */
const cardsPerTurn = 250;

/** Hashes the cards into the tree of a batch. Throws Error on two cards of one anchor and corridor. */
export async function contentOf(
  cards: readonly ScoreCard[],
  signal: AbortSignal,
): Promise<{ entries: Entry[]; root: string; size: number }> {
  const unordered: Entry[] = [];
  for (let start = 0; start < cards.length; start += cardsPerTurn) {
    signal.throwIfAborted();
    unordered.push(...cards.slice(start, start + cardsPerTurn).map(toEntry));
    await nextTurn();
  }
  const entries = inOrder(unordered);
  const root = rootOf(treeOver(entries.map(({ leafHash }) => leafHash)));
  return { entries, root, size: entries.length };
}

export type WriteBatch = ReturnType<typeof createWriteBatch>;

/**
 * Stores the entries under the sequence that the batch will have, then commits the batch by inserting its header, and
 * `alongside` with it. Entries without a header are visible to nobody, and the next tick replaces them.
 */
export function createWriteBatch(deps: { batches: BatchStore; inLeasedTransaction: InLeasedTransaction }) {
  const { batches, inLeasedTransaction } = deps;
  return async (
    lease: HeldLease,
    entries: readonly Entry[],
    signed: Pick<BatchDocument, 'header' | 'signature' | 'publicKey'>,
    alongside?: (session: ClientSession, batch: BatchDocument) => Promise<void>,
  ): Promise<BatchDocument> => {
    const { sequence: _id } = signed.header;
    const headerHash = batchHeaderHash(signed.header);
    const batch = { _id, ...signed, headerHash, open: true, receipt: null, submittedAt: null };
    await inLeasedTransaction(lease, (session) => batches.putEntries(session, _id, entries));
    await inLeasedTransaction(lease, async (session) => {
      await batches.insert(session, batch);
      await alongside?.(session, batch);
    });
    return batch;
  };
}
