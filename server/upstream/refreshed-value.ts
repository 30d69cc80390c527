import { type BackoffPolicy, backoffMs } from '../jobs/backoff.js';
import type { Clock, Random } from '../ports.js';
import { createFlights } from './flights.js';

/** One remote value kept in memory: fresh for a while, served stale while a single refresh runs, then gone. */
export interface RefreshedValue<T> {
  /** The value at hand or a new one. Rejects with what `load` last threw while there is nothing to serve. */
  get(): Promise<T>;
  peek(): { value: T; fetchedAt: number; fresh: boolean } | undefined;
  /** What the last refresh threw; undefined after a success. */
  lastFault(): unknown;
  /** Takes over a value known from before, as if fetched then. */
  seed(value: T, fetchedAt: number): void;
  /** Forgets value and fault; whether there was one. */
  drop(): boolean;
}

export interface RefreshPolicy {
  freshMs: number;
  /** Age until which an old value is served while refreshes fail or run. */
  staleMs: number;
  /** Between refreshes that fail. */
  retry: BackoffPolicy;
}

interface Kept<T> {
  value: T;
  fetchedAt: number;
  epoch: number;
}

export function createRefreshedValue<T>(deps: {
  load: () => Promise<T>;
  policy: RefreshPolicy;
  clock: Clock;
  random: Random;
  /** Values and refreshes begun under another epoch are not served. */
  epoch: () => number;
}): RefreshedValue<T> {
  const { policy, clock } = deps;
  let kept: Kept<T> | undefined;
  const join = createFlights<T>();
  let failures = 0;
  let nextTryAt = 0;
  let fault: unknown;

  function usable(): Kept<T> | undefined {
    const current = kept?.epoch === deps.epoch() ? kept : undefined;
    return current !== undefined && clock() - current.fetchedAt < policy.staleMs ? current : undefined;
  }

  function refresh(): Promise<T> {
    const epoch = deps.epoch();
    return join('value', epoch, () => loadOnce(epoch));
  }

  function loadOnce(epoch: number): Promise<T> {
    return deps.load().then(
      (value) => {
        // A refresh overtaken by an invalidation answers those who waited for it and leaves no trace.
        if (epoch === deps.epoch()) {
          kept = { value, fetchedAt: clock(), epoch };
          failures = 0;
          nextTryAt = 0;
          fault = undefined;
        }
        return value;
      },
      (error: unknown) => {
        if (epoch === deps.epoch()) {
          failures += 1;
          nextTryAt = clock() + backoffMs(Math.min(failures, 30), policy.retry, deps.random);
          fault = error;
        }
        throw error;
      },
    );
  }

  function forget(): void {
    kept = undefined;
    failures = 0;
    nextTryAt = 0;
    fault = undefined;
  }

  return {
    async get() {
      if (kept !== undefined && kept.epoch !== deps.epoch()) forget();
      const current = usable();
      if (current !== undefined && clock() - current.fetchedAt < policy.freshMs) return current.value;
      const mayTry = clock() >= nextTryAt;
      if (current === undefined) {
        if (!mayTry) throw fault;
        return refresh();
      }
      // The fault is kept for `lastFault`; who asks now is served what is at hand.
      if (mayTry) refresh().catch(() => undefined);
      return current.value;
    },
    peek() {
      const current = usable();
      if (current === undefined) return undefined;
      const { value, fetchedAt } = current;
      return { value, fetchedAt, fresh: clock() - fetchedAt < policy.freshMs };
    },
    lastFault: () => fault,
    seed(value, fetchedAt) {
      kept = { value, fetchedAt, epoch: deps.epoch() };
    },
    drop() {
      const had = kept !== undefined;
      forget();
      return had;
    },
  };
}
