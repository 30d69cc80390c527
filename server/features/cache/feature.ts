import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import { adminCacheContract } from '../../../contract/endpoints/cache.js';
import { unsupportedPair } from '../../errors.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { createCacheEpochStore, type StoredEpoch } from './store.js';

export type CacheEpoch = ReturnType<typeof createCacheFeature>['epoch'];

/**
 * The epoch of all caches, and the endpoint that empties them. It decides, on every instance, which cached entries may
 * still be served: an entry belongs to the number that was read when its making began.
 */
export function createCacheFeature(deps: {
  connection: Connection;
  hasCorridor: (id: string) => boolean;
  clock: Clock;
  logger: Logger;
}) {
  const { logger } = deps;
  const store = createCacheEpochStore(deps.connection);
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

  const epoch = {
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

  const router = initServer().router(adminCacheContract, {
    // Everything is emptied, whatever a request names: that is a superset of what it asks for.
    invalidateCache: async ({ body }) => {
      const { scope = 'all', corridor = null } = body ?? {};
      if (corridor !== null && !deps.hasCorridor(corridor))
        throw unsupportedPair('body.corridor', 'is not a corridor that is served');
      const emptied = await epoch.empty();
      logger.info({ scope, corridor, ...emptied }, 'caches emptied');
      return { status: 200, body: { scope, corridor, ...emptied, invalidatedAt: toInstant(deps.clock()) } };
    },
  });
  return { router, epoch };
}
