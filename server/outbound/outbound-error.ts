/**
 * Why an outward call gave no answer.
 *
 * - `invalid_url`: not an absolute http(s) URL without credentials, or in an unusual spelling
 * - `blocked`: others may not send us to this address; nothing was written to it
 * - `timeout`: the whole answer had not arrived within `timeoutMs`
 * - `too_large`: the body, its compressed form or the header block went over its cap
 * - `unreachable`: no such name, no connection, no TLS session, or closed before an answer began
 * - `bad_response`: what came back is not an HTTP answer that can be read to its end, or not the JSON that was expected
 */
export type OutboundFailure =
  | 'invalid_url'
  | 'blocked'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'bad_response';

/** The only error of an outward call, except for a caller's own mistake. Its message never holds a path or query. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'OutboundError';
    this.failure = failure;
  }
}
