import { createCache, lasting } from '../../cache/cache.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import { hasRoom, hasRoomForAll } from './unpaid.rules.js';
import type { UnpaidStore } from './unpaid-store.js';

/** Limits how many unpaid intents the database holds, so that anonymous clients cannot fill it. */
export interface UnpaidRoom {
  /**
   * Runs `register` if the client may hold another unpaid intent. Throws NOT_READY where the client holds its share
   * already. A stored intent counts until it is paid or removed.
   */
  withPlace<T extends { created: boolean }>(client: string, register: () => Promise<T>): Promise<T>;
}

/** How old the counted number of unpaid intents may be; those that this instance has stored since are added. */
const countedEveryMs = 5_000;
/** Intents stop counting only when they are paid or removed, which takes a while. */
const retryAfterSeconds = 600;

export function createUnpaidRoom(deps: {
  store: Pick<UnpaidStore, 'countUnpaid' | 'countUnpaidOf'>;
  /** Most unpaid intents of all clients together. */
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
    // Other requests may have raised `places.taken` meanwhile.
    if (hasRoom({ max, taken: places.taken, ofClient })) return;
    const message = 'Too many intents of your address are neither paid nor removed (docs/intents.md).';
    throw new ApiError('NOT_READY', message, { retryAfter: retryAfterSeconds });
  }

  return {
    async withPlace(client, register) {
      const places = await counts.get('all');
      if (!hasRoomForAll({ max, taken: places.taken })) await refuseIfFull(client, places);
      // Reserved before `register` is awaited, so that concurrent requests see each other's reservations.
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
