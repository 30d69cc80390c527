import type { Answer } from './client-options.js';
import type { ErrorBody, ErrorCode } from './generated/types.js';

/**
 * An error of the service as an exception. `unwrap` and `all` throw it on an error that the contract lists. Every call
 * throws it on an error that its operation does not list: `REQUEST_TIMEOUT`, or one of a later version.
 */
export class FairleadError<Code extends ErrorCode = ErrorCode> extends Error {
  /** What went wrong, for programs; docs/errors.md says exactly when each occurs. */
  readonly code: Code;
  /** The HTTP status. */
  readonly status: number;
  /** The whole body, with what its code promises beside `code` and `message`. */
  readonly body: ErrorBody<Code>;
  readonly headers: Headers;

  constructor({ status, body, headers }: Answer<number, ErrorBody<Code>>) {
    super(body.message);
    this.name = 'FairleadError';
    this.code = body.code as Code;
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** An error of one of these codes: a union distinguished by `code`, each with the body that its code promises. */
export type AnyFairleadError<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? FairleadError<Code>
  : never;

/**
 * Whether a caught value is an error of the service, and has one of these codes if any are given:
 * `isFairleadError(error, 'RATE_LIMITED')`, after which `error.body.retryAfter` is known.
 */
export function isFairleadError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is AnyFairleadError<Code> {
  // The name is compared because a program that loads both builds of the package has two classes.
  if (!(error instanceof Error && error.name === 'FairleadError')) return false;
  return codes.length === 0 || codes.some((code) => code === (error as FairleadError).code);
}

/** The body of the successes in a union of answers. */
export type SuccessBody<A extends Answer<number, unknown>> = A extends { body: ErrorBody }
  ? never
  : A['body'];

/** The body of a success; throws FairleadError where the answer is an error: `unwrap(await client.rates.getRates(…))`. */
export function unwrap<A extends Answer<number, unknown>>(answer: A): SuccessBody<A> {
  if (answer.status >= 400) throw new FairleadError(answer as Answer<number, ErrorBody>);
  return answer.body as SuccessBody<A>;
}

/**
 * An answer that the contract does not list: another status, a body that is not JSON of the service, or, where answers
 * are validated, one whose body has another form. Most come from a proxy.
 */
export class UnexpectedAnswerError extends Error {
  readonly operationId: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
  /** Where the body differs from the contract, dotted: `body.quotes.0.rate`; null if the whole answer is unexpected. */
  readonly path: string | null;

  constructor(
    operationId: string,
    answer: { status: number; headers: Headers; body: unknown },
    fault?: { path: string; message: string },
  ) {
    super(
      fault === undefined
        ? `${operationId}: the answer ${answer.status} is not one that the contract lists`
        : `${operationId}: ${fault.path} of the answer ${answer.status}: ${fault.message}`,
    );
    this.name = 'UnexpectedAnswerError';
    this.operationId = operationId;
    this.status = answer.status;
    this.headers = answer.headers;
    this.body = answer.body;
    this.path = fault?.path ?? null;
  }
}
