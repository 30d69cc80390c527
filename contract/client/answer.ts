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
