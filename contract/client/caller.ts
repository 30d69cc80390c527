import type { Answer } from './answer.js';
import { exchange, type TextAnswer, waitByTimer } from './exchange.js';
import { FairleadError } from './fairlead-error.js';
import { type RateLimit, readRateLimit, readRetryAfter } from './read-headers.js';
import { addressOf, type CallArguments, mergeHeaders } from './request.js';
import type { Route } from './route.js';
import type { ErrorBody } from './types/errors.js';
import { UnexpectedAnswerError } from './unexpected-answer-error.js';

/** How often and for how long 429 and 503 are retried. */
export interface RetryOptions {
  /** Retries after the first request; 2 when absent. */
  retries?: number;
  /**
   * The longest wait over all retries of a call together; 10,000 when absent. An answer that asks for a longer wait is
   * returned. `all` waits a minute for a page if need be, since a long list takes more requests than a window grants.
   */
  maxWaitMs?: number;
  /**
   * The methods that are retried; only `GET` when absent. `POST` is safe for intents and disputes: sent twice, they count
   * once. It is not for what operators do, such as adding a webhook.
   */
  methods?: readonly string[];
}

/** Options of `createClient`; every one may be left out. */
export interface ClientOptions {
  /** Sends the requests; the global `fetch` when absent. */
  fetch?: typeof globalThis.fetch;
  /** Time for one attempt, its answer read whole; 15,000 when absent. Then the call rejects with a `TimeoutError`. */
  timeoutMs?: number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Whether and how 429 and 503 are retried after their `Retry-After`; false for never. */
  retry?: RetryOptions | false;
  /** Called with the limit headers of every answer, retried ones included. What it throws is reported as uncaught. */
  onRateLimit?: (rateLimit: RateLimit, answer: { operationId: string; status: number }) => void;
  /** Waits between attempts; a timer when absent. Must reject when the signal aborts. */
  wait?: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Calls an operation: sends the request, retries it, and returns an answer that the contract lists.
 * @param leastWaitMs what it may wait for retries at least, unless they are off
 */
export type Caller = (
  route: Route,
  args: CallArguments,
  leastWaitMs?: number,
) => Promise<Answer<number, unknown>>;

/** Where an answer differs from the contract. */
export interface AnswerFault {
  path: string;
  message: string;
}

/** What a client may add to the calls of every client. */
export interface CallerParts {
  /** The credential that this operation takes; it is sent with no other. */
  credential?: (route: Route) => Record<string, string>;
  /** What is wrong with the body of an answer; undefined where nothing is. */
  faultOf?: (route: Route, status: number, body: unknown) => AnswerFault | undefined;
}

/** The one way in which every client calls: with time limits, retries and limits told. */
export function createCaller(baseUrl: string, options: ClientOptions, parts: CallerParts = {}): Caller {
  const { timeoutMs = 15_000, onRateLimit, wait = waitByTimer } = options;
  // Called as a bare function: in browsers, fetch throws when it is a method of anything but the window.
  const send: typeof globalThis.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const { retries = 2, maxWaitMs = 10_000, methods = ['GET'] } = options.retry || {};

  function requestOf(route: Route, { body, extraHeaders, fetchOptions, signal }: CallArguments): RequestInit {
    const secret = parts.credential?.(route) ?? {};
    const hasBody = body !== undefined;
    return {
      // No operation redirects. Following one would send the body, which may hold a nonce, and headers to another host.
      redirect: 'error',
      ...fetchOptions,
      ...(signal !== undefined && { signal }),
      ...(Object.keys(secret).length > 0 && { redirect: 'error' }),
      method: route.method,
      headers: mergeHeaders(
        options.headers,
        hasBody ? { 'content-type': 'application/json' } : undefined,
        secret,
        extraHeaders,
      ),
      body: hasBody ? JSON.stringify(body) : null,
    };
  }

  function parse(route: Route, { status, headers, text }: TextAnswer): Answer<number, unknown> {
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    const answer = { status, headers, body };
    if (status >= 400 && !route.statuses.includes(status) && isErrorOfService(headers, body))
      throw new FairleadError({ status, headers, body });
    if (!route.statuses.includes(status) || !isDocumented(status, body))
      throw new UnexpectedAnswerError(route.operationId, answer);
    const fault = parts.faultOf?.(route, status, body);
    if (fault !== undefined) throw new UnexpectedAnswerError(route.operationId, answer, fault);
    return answer;
  }

  function tell(rateLimit: RateLimit, answer: { operationId: string; status: number }): void {
    try {
      onRateLimit?.(rateLimit, answer);
    } catch (error) {
      // The answer is there all the same, and a write was made.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  return async (route, args, leastWaitMs = 0) => {
    const { operationId, method } = route;
    const url = addressOf(baseUrl, route, args);
    const init = requestOf(route, args);
    const mayRetry = options.retry !== false && methods.some((each) => each.toUpperCase() === method);
    const longestMs = Math.max(maxWaitMs, leastWaitMs);
    let waitedMs = 0;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await exchange(send, url, init, timeoutMs);
      const { status } = answer;
      const rateLimit = readRateLimit(answer.headers);
      if (rateLimit !== null) tell(rateLimit, { operationId, status });
      const seconds = status === 429 || status === 503 ? readRetryAfter(answer.headers) : null;
      const waitMs = (seconds ?? 0) * 1000;
      const isFinal = !mayRetry || seconds === null || attempt >= retries || waitedMs + waitMs > longestMs;
      if (isFinal) return parse(route, answer);
      await wait(waitMs, init.signal ?? undefined);
      waitedMs += waitMs;
    }
  };
}

/** Tells an answer of the service from a proxy's own page or JSON. */
function isDocumented(status: number, body: unknown): boolean {
  return status < 400 ? typeof body === 'object' && body !== null : isError(body);
}

function isError(body: unknown): body is { code: string; message: string } {
  const { code, message } = Object(body) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string';
}

/** An error of the service that this operation does not list: no operation saw the request, or a later version has it. */
function isErrorOfService(headers: Headers, body: unknown): body is ErrorBody {
  return headers.has('x-request-id') && isError(body);
}
