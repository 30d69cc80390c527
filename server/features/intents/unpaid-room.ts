import { createCache, lasting } from '../../cache/cache.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import { hasRoom, hasRoomForAll } from './unpaid.rules.js';
import type { UnpaidStore } from './unpaid-store.js';

/** The places for unpaid intents: what bounds how many a stranger can leave in the database. */
export interface UnpaidRoom {
  /**
   * Does `register` in a place for this client. Throws NOT_READY where the client holds its share already. Every intent
   * that is stored keeps its place until it is paid or removed.
   */
  withPlace<T extends { created: boolean }>(client: string, register: () => Promise<T>): Promise<T>;
}

/** How old the number of places taken may be; what this instance has stored since is added. */
const countedEveryMs = 5_000;
/** Places become free as intents are paid or removed, which takes its time. */
const retryAfterSeconds = 600;

export function createUnpaidRoom(deps: {
  store: Pick<UnpaidStore, 'countUnpaid' | 'countUnpaidOf'>;
  /** Places of all clients together. */
  max: number;
  clock: Clock;
}): UnpaidRoom {
  const { store, max, clock } = deps;
  const counts = createCache<'all', { taken: number }>({
    load: async () => ({ taken: await store.countUnpaid(max) }),
    lifetimeOf: lasting({ freshMs: countedEveryMs }),
    clock,
  });

  /** Throws NOT_READY where the client holds its share. */
  async function refuseIfFull(client: string, places: { taken: number }): Promise<void> {
    const ofClient = await store.countUnpaidOf(client, Math.max(1, max - places.taken));
    // Others may have taken places meanwhile.
    if (hasRoom({ max, taken: places.taken, ofClient })) return;
    const message = 'Too many intents of your address are neither paid nor removed (docs/intents.md).';
    throw new ApiError('NOT_READY', message, { retryAfter: retryAfterSeconds });
  }

  return {
    async withPlace(client, register) {
      const places = await counts.get('all');
      if (!hasRoomForAll({ max, taken: places.taken })) await refuseIfFull(client, places);
      // Taken before anything else is awaited: requests that arrive together see each other's places.
      places.taken += 1;
      let kept = false;
      try {
        const registered = await register();
        kept = registered.created;
        return registered;
      } finally {
        if (!kept) places.taken -= 1;
      }
    },
  };
}
