import type { Logger } from '../../ports.js';
import type { CacheEpochStore, StoredEpoch } from './store.js';

export type CacheEpoch = ReturnType<typeof createCacheEpoch>;

/**
 * What decides, on every instance, which cached entries may still be served. An entry belongs to the number that was read
 * when its making began.
 */
export function createCacheEpoch({ store, logger }: { store: CacheEpochStore; logger: Logger }) {
  const listeners: (() => number)[] = [];
  let known: StoredEpoch = { epoch: 0, emptied: 0 };
  /** Counts the changes of `known`, and the operations that were done here, also if they could not be stored. */
  let current = 0;
  let dropped = 0;

  function learn(stored: StoredEpoch): void {
    if (stored.epoch <= known.epoch) return;
    const isEmptied = stored.emptied > known.emptied;
    known = stored;
    current += 1;
    if (isEmptied) for (const free of listeners) dropped += free();
  }

  return {
    /** Changes with every operation of operators that changed something: for answers as they were sent. */
    current: () => current,
    /** `free` is called when the caches are emptied; it frees what became void and returns how many entries that were. */
    onEmptied(free: () => number): void {
      listeners.push(free);
    },
    /** After an operation was done. Never rejects: if MongoDB is away, the others' answers end with their second. */
    async raise(): Promise<void> {
      try {
        learn(await store.raise());
      } catch (error) {
        logger.warn({ err: error }, 'other instances were not told that an operation was done');
      }
      current += 1;
    },
    /** Raises the epoch and empties the caches. Rejects, and empties nothing, while MongoDB is away. */
    async empty(): Promise<{ epoch: number; droppedEntries: number }> {
      // A poll may learn of it first and free the entries.
      const before = dropped;
      const stored = await store.empty();
      learn(stored);
      return { epoch: stored.epoch, droppedEntries: dropped - before };
    },
    /** Reads what happened on other instances. While this fails, caches go on with what is known. */
    async poll(): Promise<void> {
      learn(await store.read());
    },
  };
}
