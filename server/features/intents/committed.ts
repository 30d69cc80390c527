import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../errors.js';
import type { Intent } from './intent.js';
import type { IntentStreamStore } from './stream-store.js';

/** As a majority of the database has it, and no older than it was read. Throws NOT_READY. */
export type Committed = (intent: Intent) => Promise<Intent>;

/** Longer than a new primary takes until it knows what its majority has. */
const patienceMs = 1_500;
const lookAgainMs = 50;
const retryAfterSeconds = 2;

/**
 * A primary that is cut off from the other members shows for some seconds what it alone has, and what it then loses: an intent
 * whose registration was never acknowledged, or an outcome. None of that is told to anybody.
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
