import type { Answer } from './answer.js';
import { exchange } from './attempt.js';
import type { RetryOptions } from './client-options.js';
import { readRetryAfter } from './read-headers.js';
import type { CallArguments, Route } from './route.js';
import type { Transport } from './transport.js';

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
