import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../errors.js';
import type { Intent } from './intent.js';
import type { IntentStreamStore } from './stream-store.js';

/** Reads the intent as a majority of the database stores it, at the given version or a later one. Throws NOT_READY. */
export type Committed = (intent: Pick<Intent, '_id' | 'version'>) => Promise<Intent>;

/** Longer than a new primary takes to learn which writes a majority has acknowledged. */
const patienceMs = 1_500;
const lookAgainMs = 50;
const retryAfterSeconds = 2;

/**
 * For some seconds, a primary that is cut off from the other members returns writes that only it has and that are then
 * rolled back: an intent whose registration was never acknowledged, or an outcome. No client may receive any of them.
 */
export function createCommitted({ readCommitted }: Pick<IntentStreamStore, 'readCommitted'>): Committed {
  return async ({ _id, version }) => {
    for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += lookAgainMs) {
      const committed = await readCommitted(_id);
      if (committed !== null && committed.version >= version) return committed;
      await delay(lookAgainMs);
    }
    const message = 'The database has not confirmed how the intent stands; try again shortly.';
    throw new ApiError('NOT_READY', message, { retryAfter: retryAfterSeconds });
  };
}
