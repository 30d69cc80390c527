import type { TurnsDeps } from './turns.js';

/**
 * The service accepts 30 amounts per minute that nobody asked for lately, and reports this limit only by refusing one. The
 * stream of an amount uses four of them, because the anchors are asked again for it every 15 s. Four are for requests that
 * arrive late, together with those of the next minute.
 */
export const newAmountsLimit = { points: 22, windowMs: 60_000 };
/** This many may be asked for in direct succession; the rest of a minute's amounts are spread over the minute. */
export const newAmountsAtOnce = 10;

/**
 * For so long an amount costs no second point. Where an anchor failed, the service asks it again after that time, and the
 * amount counts as new. Where an anchor was busy or its circuit is open, it does so after one second, which is not counted
 * here.
 */
export const knownMs = 5_000;

const { points, windowMs } = newAmountsLimit;
const everyMs = windowMs / (points - newAmountsAtOnce);
const ofAmount = ['amount', 'receive', 'deliveryMethod'];

/** A text that the page finds again after it was loaded anew, and that its other tabs share. */
export interface Stored {
  /** Null if there is none. */
  read(): string | null;
  write(text: string): void;
}

export interface NewAmountsDeps extends TurnsDeps {
  /** Where the page stores when the full number of amounts may be asked for at once again. */
  stored: Stored;
}

/**
 * Spreads the amounts that may be new to the service, so that no minute exceeds the limit: the page does not know
 * when the service's minutes begin. After every `everyMs`, one more may be asked for at once. The service counts all pages
 * of this browser together, so they count together here as well.
 */
export function createNewAmounts({ clock, sleep, stored }: NewAmountsDeps) {
  /** When each was asked for, the oldest first. */
  const asked = new Map<string, number>();
  /** As stored, for browsers that forbid the page to store anything. */
  let lastStored = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function wait(amount: string, signal: AbortSignal | null | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (const [each, at] of asked) if (clock() - at >= knownMs) asked.delete(each);
    if (asked.has(amount)) return;
    const waitMs = allBackAt() - (newAmountsAtOnce - 1) * everyMs - clock();
    if (waitMs > 0) await sleep(waitMs, signal);
    const now = clock();
    lastStored = Math.max(allBackAt(), now) + everyMs;
    stored.write(String(lastStored));
    asked.set(amount, now);
  }

  /** When the full number may be asked for at once again. A later time than possible is of another clock. */
  function allBackAt(): number {
    const at = Number(stored.read() ?? lastStored);
    return Number.isFinite(at) ? Math.min(at, clock() + newAmountsAtOnce * everyMs) : lastStored;
  }

  return {
    async next(
      pathname: string,
      query: URLSearchParams,
      signal: AbortSignal | null | undefined,
    ): Promise<void> {
      const corridor = /^\/api\/rates\/([^/]+)(\/stream)?$/.exec(pathname)?.[1];
      if (corridor === undefined || !(query.has('amount') || query.has('receive'))) return;
      const amount = JSON.stringify([corridor, ...ofAmount.map((name) => query.get(name))]);
      const turn = last.then(() => wait(amount, signal));
      last = turn.catch(() => undefined);
      await turn;
    },
  };
}
