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
