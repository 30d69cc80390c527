import type { RateLimit } from './read-headers.js';

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
   * once. It is not safe for operators, for example when adding a webhook.
   */
  methods?: readonly string[];
}

/** Options of `createClient`; every one may be left out. */
export interface ClientOptions {
  /** Sends the requests; the global `fetch` when absent. */
  fetch?: typeof globalThis.fetch;
  /** Time limit of one attempt, its whole answer included; 15,000 when absent. After it, a `TimeoutError` is thrown. */
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

/** The answer of the service to a call. `status` distinguishes the answers, and `body.code` the errors. */
export interface Answer<Status extends number, Body> {
  /** The HTTP status: below 400 `body` is what was asked for, from 400 an error. */
  status: Status;
  /** What was asked for, or the error: `{code, message}` and what its code promises besides. */
  body: Body;
  /** The headers of the answer; `readRateLimit`, `readRetryAfter` and `readMaxAge` read those that hold a time. */
  headers: Headers;
}

/** The options that every operation takes. */
export interface CallOptions {
  /** Ends the call, its retries and waits included, when it aborts; the call rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Headers of this call, over those of the client. */
  extraHeaders?: Readonly<Record<string, string | undefined>> | undefined;
  /** What else `fetch` takes: `cache`, `credentials`, `keepalive`, `priority`. */
  fetchOptions?: Omit<RequestInit, 'method' | 'headers' | 'body'> | undefined;
}
