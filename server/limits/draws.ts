import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock } from '../ports.js';
import type { Draw, Drawn } from './window-store.js';

const maxKeysOfBatch = 200;

/** One answer of the database, with the monotonic time before it was asked. */
export type OnDrawn = (key: string, rule: RateLimitClass, drawn: Drawn, sentAt: number) => void;

/**
 * Draws points of a key. Resolves when an answer for this key has been handed on, which may have been asked for by other
 * requests, so the caller looks again what it holds now. Rejects where the database did not answer.
 */
export type DrawPoints = (key: string, rule: RateLimitClass) => Promise<void>;

interface Waiting {
  rule: RateLimitClass;
  requests: number;
  answered: PromiseWithResolvers;
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

type Batch = ReadonlyMap<string, Waiting>;

/**
 * Requests that arrive while a batch is being sent make up the next one: one update and one query serve all of them. Of
 * a key there is one draw at a time, which all its requests wait for. `guard` runs each batch under its time limit; if
 * it rejects, so do all requests that wait. An answer that comes later all the same is handed on, too.
 */
export function createDraws(deps: {
  send: (draws: readonly Draw[]) => Promise<Map<string, Drawn>>;
  guard: <T>(work: () => Promise<T>) => Promise<T>;
  onDrawn: OnDrawn;
  stopwatch: Clock;
}): DrawPoints {
  const { guard, stopwatch } = deps;
  let queued = new Map<string, Waiting>();
  let sent: Batch = new Map();
  let sending = false;

  async function sendAll(): Promise<void> {
    while (queued.size > 0) {
      const batch = takeBatch();
      sent = batch;
      try {
        await sendBatch(batch);
      } catch (error) {
        // Requests that arrived meanwhile have also waited for a database that does not answer.
        const alsoWaiting = queued;
        queued = new Map();
        sent = new Map();
        for (const each of [batch, alsoWaiting])
          for (const { answered } of each.values()) answered.reject(error);
      }
    }
    sent = new Map();
    sending = false;
  }

  async function sendBatch(batch: Batch): Promise<void> {
    const sentAt = stopwatch();
    const draws = [...batch].map(([key, { rule, requests }]) => ({
      key,
      limit: rule.points,
      windowMs: rule.windowSeconds * 1_000,
      waiting: requests,
    }));
    const answer = guard(async () => {
      const drawn = await deps.send(draws);
      // Also after the time limit, when nobody waits any more: the points are drawn.
      for (const [key, { rule }] of batch) {
        const own = drawn.get(key);
        if (own !== undefined) deps.onDrawn(key, rule, own, sentAt);
      }
    });
    await answer;
    sent = new Map();
    for (const { answered } of batch.values()) answered.resolve();
  }

  function takeBatch(): Batch {
    if (queued.size <= maxKeysOfBatch) {
      const all = queued;
      queued = new Map();
      return all;
    }
    const first = [...queued].slice(0, maxKeysOfBatch);
    for (const [key] of first) queued.delete(key);
    return new Map(first);
  }

  return (key, rule) => {
    const underWay = sent.get(key);
    if (underWay !== undefined) return underWay.answered.promise;
    let waiting = queued.get(key);
    if (waiting === undefined) {
      waiting = { rule, requests: 0, answered: withResolvers() };
      queued.set(key, waiting);
    }
    waiting.requests += 1;
    if (!sending) {
      sending = true;
      // Other requests of this turn of the event loop join the batch.
      setImmediate(sendAll);
    }
    return waiting.answered.promise;
  };
}

/** As of ES2024. */
function withResolvers(): PromiseWithResolvers {
  let settle: Omit<PromiseWithResolvers, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as Omit<PromiseWithResolvers, 'promise'>) };
}
