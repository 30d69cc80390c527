import type { Clock } from '../../../ports.js';
import type { Intent } from '../intent.js';
import type { DueStore } from './due-store.js';

/** Whether a transaction that is attached to this intent has to wait until a place of its client is free. */
export type HasToWait = (intent: Pick<Intent, 'anchorId' | 'client'>) => Promise<boolean>;

/**
 * A client address has a few unconfirmed transactions polled at a time (poll-state.rules.ts), so that ids that somebody
 * made up delay nobody else's. Those of anchors that cannot be polled take no place.
 */
export function createPlaces(deps: {
  store: Pick<DueStore, 'countPlaces' | 'listWaitingClients' | 'givePlaces'>;
  /** Whether the anchor granted a token for its transactions. */
  isPollable: (anchorId: string) => boolean;
  clock: Clock;
}): { waits: HasToWait; giveFree: () => Promise<void> } {
  const { store, isPollable, clock } = deps;
  return {
    async waits({ anchorId, client }) {
      if (client === null || !isPollable(anchorId)) return false;
      return (await store.countPlaces(client)) <= 0;
    },
    async giveFree() {
      for (const client of await store.listWaitingClients()) {
        const free = await store.countPlaces(client);
        if (free > 0) await store.givePlaces(client, free, new Date(clock()));
      }
    },
  };
}
