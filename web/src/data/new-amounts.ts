import type { TurnsDeps } from './turns.js';

/**
 * The service accepts 30 amounts per minute that nobody asked for lately, and reports this limit only by refusing one. The
 * stream of an amount uses four of them, because the anchors are asked again for it every 15 s.
 */
export const newAmountsLimit = { points: 26, windowMs: 60_000 };
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

/**
 * Spreads the amounts that may be new to the service, so that no minute exceeds the limit: the page does not know
 * when the service's minutes begin. After every `everyMs`, one more may be asked for at once.
 */
export function createNewAmounts({ clock, sleep }: TurnsDeps) {
  /** When each was asked for, the oldest first. */
  const asked = new Map<string, number>();
  /** When the full number may be asked for at once again. */
  let allBackAt = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function wait(amount: string, signal: AbortSignal | null | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (const [each, at] of asked) if (clock() - at >= knownMs) asked.delete(each);
    if (asked.has(amount)) return;
    const waitMs = allBackAt - (newAmountsAtOnce - 1) * everyMs - clock();
    if (waitMs > 0) await sleep(waitMs, signal);
    const now = clock();
    allBackAt = Math.max(allBackAt, now) + everyMs;
    asked.set(amount, now);
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
