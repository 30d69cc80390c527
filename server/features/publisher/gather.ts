import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import {
  batchRoot,
  type Chunk,
  type Entry,
  entriesPerChunk,
  inOrder,
  maxEntries,
  toChunk,
  toEntry,
} from './batch.rules.js';

export interface Gathered {
  chunks: Chunk[];
  root: string;
  size: number;
}

/**
 * Reads the cards and hashes them into the tree of a batch. Gives way to other work after every chunk: 50,000 cards
 * take a second of computing. Throws Error on too many cards or two of one anchor and corridor.
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
