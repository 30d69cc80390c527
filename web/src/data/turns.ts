import { type Limit, newerOf, paceMs } from './pace.js';

export interface TurnsDeps {
  /** Epoch milliseconds. */
  clock: () => number;
  /** Rejects when the signal aborts. */
  sleep: (waitMs: number, signal: AbortSignal | null | undefined) => Promise<void>;
}

/** The requests of one limit, let through one after another, each when its time has come. */
export interface Turns {
  /** Resolves when the next request may be sent; rejects if the signal aborts before, and takes nothing then. */
  next(signal: AbortSignal | null | undefined): Promise<void>;
  /** Takes what an answer says about the rest of the limit. The refusal of a new amount tells of another one. */
  learn(told: Limit, isRefusal: boolean): void;
}

export function createTurns({ clock, sleep }: TurnsDeps): Turns {
  let known: Limit | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function wait(signal: AbortSignal | null | undefined): Promise<void> {
    signal?.throwIfAborted();
    const waitMs = known === undefined ? 0 : paceMs(known, clock());
    if (waitMs > 0) await sleep(waitMs, signal);
    if (known !== undefined) known = { ...known, remaining: known.remaining - 1 };
  }

  return {
    next(signal) {
      const turn = last.then(() => wait(signal));
      last = turn.catch(() => undefined);
      return turn;
    },
    learn(told, isRefusal) {
      if (known === undefined || told.limit === known.limit) known = newerOf(known, told);
      else if (!isRefusal) known = told;
    },
  };
}
