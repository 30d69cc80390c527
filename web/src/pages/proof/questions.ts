import { unwrap } from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import type { Question } from '../../data/use-answer.js';
import type { Evidence, Wanted } from './step.js';

/** What needs the cryptography of the contract package; the page loads it apart from itself. */
export type Checks = typeof import('./check-score.js');

export const health = {
  key: ['publisher', 'health'],
  ask: async (signal: AbortSignal) => unwrap(await client.publisher.getPublisherHealth({ signal })),
  everyMs: 15_000,
} satisfies Question<unknown>;

/** The most entries that the page fetches: the limit allows 60 pages per minute for one batch, and people wait. */
const mostEntries = 1_000;

/** The entries of a batch, all of them or the first ones. */
export const entries = (sequence: number) =>
  ({
    key: ['publisher', 'entries', sequence],
    ask: (signal: AbortSignal) => entriesOf(sequence, signal),
  }) satisfies Question<unknown>;

/** Everything that a check of one score needs. */
export const evidence = (wanted: Wanted, remembered: number | undefined) =>
  ({
    key: ['publisher', 'evidence', wanted, remembered],
    ask: async (signal: AbortSignal): Promise<Evidence> => {
      const { sequence, anchor, corridor } = wanted;
      const params = { sequence: String(sequence) };
      const [proof, previous, all, head] = await Promise.all([
        client.publisher.proveBatchEntry({ params, query: { anchor, corridor }, signal }),
        sequence === 1 ? null : batchOf(sequence - 1, signal),
        entriesOf(sequence, signal),
        remembered === undefined ? undefined : batchOf(remembered, signal),
      ]);
      const isComplete = all.length < mostEntries;
      return { proof: unwrap(proof), previous, entries: isComplete ? all : null, remembered: head };
    },
  }) satisfies Question<unknown>;

async function batchOf(sequence: number, signal: AbortSignal) {
  const answer = await client.publisher.getBatch({ params: { sequence: String(sequence) }, signal });
  return answer.status === 404 ? null : unwrap(answer);
}

async function entriesOf(sequence: number, signal: AbortSignal) {
  const items = [];
  const call = { params: { sequence: String(sequence) }, query: { limit: '100' }, signal };
  for await (const entry of client.publisher.listBatchEntries.all(call)) {
    items.push(entry);
    if (items.length === mostEntries) break;
  }
  return items;
}
