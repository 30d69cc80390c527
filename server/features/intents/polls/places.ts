import type { Intent } from '../intent.js';
import type { DueStore } from './due-store.js';

/** Whether a transaction that is attached to this intent has to wait until a place of its client is free. */
export type HasToWait = (intent: Pick<Intent, 'anchorId' | 'client'>) => Promise<boolean>;

/**
 * A client address has a few unconfirmed transactions polled at a time (poll-state.rules.ts), so that ids that somebody
 * made up delay nobody else's. Those of anchors that cannot be polled take no place.
 */
export function createHasToWait(deps: {
  dueStore: Pick<DueStore, 'countPlaces'>;
  /** Whether the anchor granted a token for its transactions. */
  isPollable: (anchorId: string) => boolean;
}): HasToWait {
  return async ({ anchorId, client }) =>
    client !== null && deps.isPollable(anchorId) && (await deps.dueStore.countPlaces(client)) <= 0;
}
