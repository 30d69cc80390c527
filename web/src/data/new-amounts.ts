import { createTurns, type TurnsDeps } from './turns.js';

/**
 * The service takes 30 amounts a minute that nobody asked for lately, and tells only when it refuses one. The stream of an
 * amount takes four of them, since the anchors are asked again for it every 15 s.
 */
export const newAmountsLimit = { points: 26, windowMs: 60_000 };

const ofAmount = ['amount', 'receive', 'deliveryMethod'];

/** Counts the amounts that this page asks for the first time in a window, and spreads them like any other limit. */
export function createNewAmounts(deps: TurnsDeps) {
  const turns = createTurns(deps);
  const asked = new Map<string, number>();
  let resetAt = 0;
  return {
    async next(
      pathname: string,
      query: URLSearchParams,
      signal: AbortSignal | null | undefined,
    ): Promise<void> {
      const corridor = /^\/api\/rates\/([^/]+)(\/stream)?$/.exec(pathname)?.[1];
      if (corridor === undefined || !(query.has('amount') || query.has('receive'))) return;
      const amount = JSON.stringify([corridor, ...ofAmount.map((name) => query.get(name))]);
      const now = deps.clock();
      for (const [each, at] of asked) if (now - at > newAmountsLimit.windowMs) asked.delete(each);
      if (asked.has(amount)) return;
      if (now >= resetAt) {
        resetAt = now + newAmountsLimit.windowMs;
        turns.learn({ limit: newAmountsLimit.points, remaining: newAmountsLimit.points, resetAt });
      }
      await turns.next(signal);
      asked.set(amount, deps.clock());
    },
  };
}
