import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import { type Entry, inOrder, toEntry } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import { rootOf, treeOver } from './merkle-tree.rules.js';

export interface BatchContent {
  entries: Entry[];
  root: string;
  size: number;
}

/** A header as it was published. */
export type SignedHeader = Pick<BatchDocument, 'header' | 'signature' | 'publicKey'>;

/** Other work runs after so many cards: hashing 10,000 of them takes 200 ms. */
const cardsPerTurn = 250;

/** Hashes the cards into the tree of a batch. Throws Error on two cards of one anchor and corridor. */
export async function contentOf(cards: readonly ScoreCard[], signal: AbortSignal): Promise<BatchContent> {
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

/** Stores a batch. `alongside` is written with its header. */
export type WriteBatch = (
  lease: HeldLease,
  content: BatchContent,
  signed: SignedHeader,
  alongside?: (session: ClientSession, batch: BatchDocument) => Promise<void>,
) => Promise<BatchDocument>;

/**
 * Stores the entries under the sequence that the batch will have, then commits the batch by inserting its header. Entries
 * without a header are visible to nobody, and the next tick replaces them.
 */
export function createWriteBatch(deps: {
  batches: BatchStore;
  inLeasedTransaction: InLeasedTransaction;
}): WriteBatch {
  const { batches, inLeasedTransaction } = deps;
  return async (lease, { entries }, signed, alongside) => {
    const batch = toBatch(signed);
    await inLeasedTransaction(lease, (session) => batches.putEntries(session, batch._id, entries));
    await inLeasedTransaction(lease, async (session) => {
      await batches.insert(session, batch);
      await alongside?.(session, batch);
    });
    return batch;
  };
}

function toBatch({ header, signature, publicKey }: SignedHeader): BatchDocument {
  return {
    _id: header.sequence,
    header,
    headerHash: batchHeaderHash(header),
    signature,
    publicKey,
    open: true,
    receipt: null,
    submittedAt: null,
  };
}
