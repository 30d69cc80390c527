import { exchange } from './attempt.js';
import type { Answer, ClientOptions, RetryOptions } from './client-options.js';
import { UnexpectedAnswerError, unwrap } from './fairlead-error.js';
import { readRetryAfter } from './read-headers.js';
import type { CallArguments, Route, RouteTable } from './route.js';
import type { StreamOptions } from './streams/stream-options.js';
import { createStreamer, type Streamer } from './streams/streamer.js';
import type { Transport } from './transport.js';

type Operation = (args?: CallArguments, options?: StreamOptions) => unknown;

/** A function for each route of the table, under the same keys; lists have `all`. */
export function createOperations(
  table: RouteTable,
  transport: Transport,
  { retry }: ClientOptions,
): Record<string, Record<string, Operation>> {
  const call = createCaller(transport, retry);
  const stream = createStreamer(transport);
  return mapValues(table, (group) => mapValues(group, (route) => createOperation(route, call, stream)));
}

function createOperation(route: Route, call: Caller, stream: Streamer): Operation {
  if (route.events !== undefined) return (args = {}, options) => stream(route, args, options);
  const operation = async (args: CallArguments = {}) => call(route, args);
  if (route.isList !== true) return operation;
  return Object.assign(operation, { all: (args?: CallArguments) => allItems(call, route, args) });
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/**
 * Calls an operation: sends the request, retries it, and returns an answer that the contract lists.
 * @param leastWaitMs the longest total wait for retries is at least this, unless they are off
 */
export type Caller = (
  route: Route,
  args: CallArguments,
  leastWaitMs?: number,
) => Promise<Answer<number, unknown>>;

/** The caller of every client, with time limits and retries; it reports the rate limits. */
export function createCaller(transport: Transport, retry: RetryOptions | false = {}): Caller {
  const { retries = 2, maxWaitMs = 10_000, methods = ['GET'] } = retry || {};

  return async (route, args, leastWaitMs = 0) => {
    const { url, init } = transport.requestOf(route, args);
    const mayRetry = retry !== false && methods.some((each) => each.toUpperCase() === route.method);
    const longestMs = Math.max(maxWaitMs, leastWaitMs);
    let waitedMs = 0;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await exchange(transport.send, url, init, transport.timeoutMs);
      transport.tellRateLimit(route, answer);
      const { status, headers } = answer;
      const seconds = status === 429 || status === 503 ? readRetryAfter(headers) : null;
      const waitMs = (seconds ?? 0) * 1000;
      const isFinal = !mayRetry || seconds === null || attempt >= retries || waitedMs + waitMs > longestMs;
      if (isFinal) return transport.answerOf(route, answer);
      await transport.wait(waitMs, init.signal ?? undefined);
      waitedMs += waitMs;
    }
  };
}

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
