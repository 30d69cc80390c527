import { readRateLimit } from '@fairlead/contract/client';
import { createNewAmounts, type NewAmountsDeps } from './new-amounts.js';
import { operationOf } from './operation-of.js';
import { createTurns, type Turns } from './turns.js';

/**
 * A fetch that slows reads down before the limit of their operation is used up, so that a reader who clicks around is never
 * refused. Writes are sent at once.
 */
export function createPacedFetch(
  deps: NewAmountsDeps & { fetch: typeof globalThis.fetch },
): typeof globalThis.fetch {
  const operations = new Map<string, Turns>();
  const newAmounts = createNewAmounts(deps);
  return async (input, init) => {
    const { method = 'GET', signal } = init ?? {};
    // Only the path counts; an address of the page's own origin is a path alone.
    const { pathname, searchParams } = new URL(String(input), 'http://page.invalid');
    const operation = operationOf(method, pathname);
    const turns = operations.get(operation) ?? createTurns(deps);
    operations.set(operation, turns);
    if (method === 'GET') {
      await newAmounts.next(pathname, searchParams, signal);
      await turns.next(signal);
    }
    const response = await deps.fetch(input, init);
    const told = readRateLimit(response.headers);
    if (told !== null) {
      const { limit, remaining, resetEpochSeconds } = told;
      const resetAt = resetEpochSeconds * 1_000;
      turns.learn({ limit, remaining, resetAt }, response.status === 429);
    }
    return response;
  };
}
