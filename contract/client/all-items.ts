import type { Answer } from './answer.js';
import type { Caller } from './caller.js';
import { unwrap } from './fairlead-error.js';
import type { CallArguments, Route } from './route.js';
import { UnexpectedAnswerError } from './unexpected-answer-error.js';

interface Page {
  items: readonly unknown[];
  nextCursor: string | null;
}

/** The longest window of the rate limits of lists. */
const windowMs = 60_000;

/** The items of a list from one cursor to its end. A page is requested once the items before it were consumed. */
export async function* allItems(
  call: Caller,
  route: Route,
  args: CallArguments = {},
): AsyncGenerator<unknown, void, undefined> {
  const signal = args.signal ?? args.fetchOptions?.signal ?? undefined;
  const seen = new Set<unknown>();
  let cursor = args.query?.cursor;
  for (;;) {
    seen.add(cursor);
    const answer = await call(route, { ...args, query: { ...args.query, cursor } }, windowMs);
    const { items, nextCursor } = unwrap(answer as Answer<200, Page>);
    if (!Array.isArray(items))
      throw new UnexpectedAnswerError(route.operationId, answer, { path: 'body.items', message: 'no list' });
    for (const item of items) {
      signal?.throwIfAborted();
      yield item;
    }
    if (typeof nextCursor !== 'string') return;
    if (seen.has(nextCursor))
      throw new UnexpectedAnswerError(route.operationId, answer, {
        path: 'body.nextCursor',
        message: 'the cursor of a page that was read before',
      });
    cursor = nextCursor;
  }
}
