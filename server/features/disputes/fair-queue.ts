import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors.js';

export interface FairQueueOptions {
  /** How much work runs concurrently. */
  atOnce: number;
  /** How much may wait; beyond that, what is last in the order is refused. */
  maxWaiting: number;
  /** Work that waited longer than this is refused, since its client has given up. */
  maxWaitMs: number;
}

/** Runs work of many clients, a few at a time. Refuses work with NOT_READY when the queue is full or the wait too long. */
export type FairQueue = <T>(client: string, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  round: number;
  start(): void;
  refuse(): void;
}

const roundsForMs = 60_000;
const maxClients = 50_000;

/**
 * Clients take turns: the first piece of work of a client within a minute is in round one, its second in round two, and
 * waiting work is started by round, then by arrival. So a client that sends a thousand is overtaken by one that sends its
 * first, and a flood from many clients waits, after its first round, behind every client that is not part of it.
 */
export function createFairQueue({ atOnce, maxWaiting, maxWaitMs }: FairQueueOptions): FairQueue {
  const rounds = new LRUCache<string, number>({
    // `max` would take the memory for all of them at once.
    maxSize: maxClients,
    sizeCalculation: () => 1,
    ttl: roundsForMs,
    noUpdateTTL: true,
  });
  /** Sorted by the order in which the work is started. */
  const waiting: Waiting[] = [];
  let running = 0;

  function nextRound(client: string): number {
    const round = (rounds.get(client) ?? 0) + 1;
    rounds.set(client, round);
    return round;
  }

  function turn(round: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => leave(entry), maxWaitMs);
      const entry: Waiting = {
        round,
        start() {
          clearTimeout(late);
          resolve();
        },
        refuse() {
          clearTimeout(late);
          reject(tooMany());
        },
      };
      const before = waiting.findLastIndex((other) => other.round <= round);
      waiting.splice(before + 1, 0, entry);
      if (waiting.length > maxWaiting) waiting.pop()?.refuse();
    });
  }

  function leave(entry: Waiting): void {
    waiting.splice(waiting.indexOf(entry), 1);
    entry.refuse();
  }

  return async (client, work) => {
    const round = nextRound(client);
    // Work that ends passes its slot to the first waiting work, so that no new work overtakes it.
    if (running >= atOnce) await turn(round);
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.start();
    }
  };
}

function tooMany(): ApiError {
  const message = 'Too many disputes are waiting to be checked; try again shortly.';
  return new ApiError('NOT_READY', message, { retryAfter: 1 });
}
