/**
 * Why an outward call gave no answer.
 *
 * - `invalid_url`: not an absolute http(s) URL without credentials, or not written the plain way
 * - `blocked`: the address is not one that others may send us to; nothing was written to it
 * - `timeout`: `timeoutMs` went by before the whole answer was here
 * - `too_large`: the body, its compressed form or the header block went over its cap
 * - `unreachable`: no such name, no connection, no TLS session, or closed before an answer began
 * - `bad_response`: what came back is not an HTTP answer that can be read to its end
 */
export type OutboundFailure =
  | 'invalid_url'
  | 'blocked'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'bad_response';

/** The only error of an outward call, short of a caller's own mistake. Its message never holds a path or query. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'OutboundError';
    this.failure = failure;
  }
}
