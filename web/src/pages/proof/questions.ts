import { unwrap } from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import type { Question } from '../../data/use-answer.js';
import type { Evidence, Wanted } from './check/evidence.js';

export const health = () =>
  ({
    key: ['publisher', 'health'],
    ask: async (signal: AbortSignal) => unwrap(await client.publisher.getPublisherHealth({ signal })),
    everyMs: 15_000,
  }) satisfies Question<unknown>;

/** A page of the chain, newest first from `from` on, and one more: the link of the last one leads there. */
export const pageSize = 8;
export const batches = (from: string) =>
  ({
    key: ['publisher', 'batches', from],
    ask: async (signal: AbortSignal) => {
      const query = { limit: String(pageSize + 1), ...(from !== '' && { from }) };
      return unwrap(await client.publisher.listBatches({ query, signal })).items;
    },
    everyMs: from === '' ? 30_000 : undefined,
  }) satisfies Question<unknown>;

/** Every batch since the first; a page is asked for when its first batch is. */
export const allBatches = (signal: AbortSignal) =>
  client.publisher.listBatches.all({ query: { order: 'asc', limit: '100' }, signal });

/** The newest batches, to choose from. */
export const choices = () =>
  ({
    key: ['publisher', 'choices'],
    ask: async (signal: AbortSignal) => {
      return unwrap(await client.publisher.listBatches({ query: { limit: '50' }, signal })).items;
    },
    everyMs: 60_000,
  }) satisfies Question<unknown>;
export type Choices = Awaited<ReturnType<ReturnType<typeof choices>['ask']>>;

/** One batch; null where there is none. */
export const batch = (sequence: number) =>
  ({
    key: ['publisher', 'batch', sequence],
    ask: (signal: AbortSignal) => batchOf(sequence, signal),
  }) satisfies Question<unknown>;

/** The most entries that the page fetches: the limit allows 60 pages per minute for one batch, and people wait. */
export const mostEntries = 1_000;

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
      const [proof, previous, all, head] = await Promise.all([
        client.publisher.proveBatchEntry({
          params: { sequence: String(sequence) },
          query: { anchor, corridor },
          signal,
        }),
        sequence === 1 ? null : batchOf(sequence - 1, signal),
        entriesOf(sequence, signal),
        remembered === undefined ? undefined : batchOf(remembered, signal),
      ]);
      return {
        proof: unwrap(proof),
        previous,
        entries: all.isComplete ? all.items : null,
        remembered: head,
      };
    },
  }) satisfies Question<unknown>;

async function batchOf(sequence: number, signal: AbortSignal) {
  const answer = await client.publisher.getBatch({ params: { sequence: String(sequence) }, signal });
  return answer.status === 404 ? null : unwrap(answer);
}

async function entriesOf(sequence: number, signal: AbortSignal) {
  const params = { sequence: String(sequence) };
  const items = [];
  for await (const entry of client.publisher.listBatchEntries.all({
    params,
    query: { limit: '100' },
    signal,
  })) {
    if (items.length === mostEntries) return { items, isComplete: false };
    items.push(entry);
  }
  return { items, isComplete: true };
}
