import { LRUCache } from 'lru-cache';
import type { Intent } from './intent.js';
import { leastServed, type PolledQueue, queuesOfTurn } from './look-queue.rules.js';
import type { LookStore } from './look-store.js';

/** Selects the next intent to check at one anchor. */
export interface Turns {
  /** Claims the intent whose turn it is, by moving its next look to `nextDue`; null where none is due. */
  take(now: Date, nextDue: Date): Promise<{ intent: Intent; queue: PolledQueue } | null>;
}

/** Accounts remembered as served; a forgotten account only gets its turn too early. */
const rememberedAccounts = 1_000;

/**
 * Distributes the looks at one anchor: over the queues by their shares (look-queue.rules.ts), within each queue over the
 * clients in turn, and within a client over its accounts. Paid intents have no client, so they are distributed by account
 * alone. Accounts come second, since anybody may name any account: many intents in the name of an account must not delay
 * the account's own.
 */
export function createTurns(store: Pick<LookStore, 'findTurn' | 'claimLook'>, anchorId: string): Turns {
  /** The client that was served last. */
  const last: Record<PolledQueue, string | null> = { paid: null, known: null, new: null, unknown: null };
  const served = new LRUCache<string, number>({ max: rememberedAccounts });
  let turn = 0;

  async function takeFrom(queue: PolledQueue, now: Date, nextDue: Date): Promise<Intent | null> {
    for (;;) {
      const found = await store.findTurn({ anchorId, queue, after: last[queue], now });
      const next = leastServed(found?.waiting ?? [], (account) => served.get(account));
      if (found === undefined || next === undefined) return null;
      const intent = await store.claimLook(next._id, now, nextDue);
      // Null: a transaction was attached or a callback applied meanwhile, so that the intent is not due any more.
      if (intent === null) continue;
      last[queue] = found.client;
      served.set(next.account, turn);
      return intent;
    }
  }

  return {
    async take(now, nextDue) {
      turn += 1;
      for (const queue of queuesOfTurn(turn)) {
        const intent = await takeFrom(queue, now, nextDue);
        if (intent !== null) return { intent, queue };
      }
      return null;
    },
  };
}
