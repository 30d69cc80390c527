import type { ZodError } from 'zod';
import { isFairleadError, readRetryAfter, UnexpectedAnswerError } from '../contract/index.js';

/** What a tool says of its failure: what went wrong, and whether the same call may succeed later. */
export interface ToolFault {
  /** A code of the service (docs/error-codes.md), or one of `ownCodes`. */
  code: string;
  message: string;
  /** Whether the same call with the same arguments is worth repeating. */
  retry: boolean;
  /** How long to wait before that. */
  retryAfterSeconds?: number;
  /** The other members of the service's answer: `details`, `unavailable`. */
  [member: string]: unknown;
}

/** The codes of failures that are not answers of the service. */
export const ownCodes = {
  UNREACHABLE:
    'No connection to the service, or it broke off, or the answer was a redirect, which is not followed.',
  TIMEOUT: 'No answer in the time that `--timeout` grants.',
  UNEXPECTED_ANSWER: 'An answer that is none of the service, such as an error page of a proxy.',
  PROOF_REFUSED: 'The proof of a score does not hold; the message says which part.',
  NOTHING_PUBLISHED: 'The service has published no batch yet, or none of that formula.',
} as const;

export class ToolError extends Error {
  readonly fault: ToolFault;

  constructor(fault: ToolFault) {
    super(fault.message);
    this.name = 'ToolError';
    this.fault = fault;
  }
}

/** Arguments that are refused here, without asking the service. */
export function invalidArguments({ issues }: ZodError): ToolError {
  const details = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const listed = details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const message = `These arguments do not fit: ${listed.join('; ')}.`;
  return new ToolError({ code: 'INVALID_REQUEST', message, retry: false, details });
}

/** An error that the service answered. Waiting helps where it says for how long, and after a 408. */
export function answeredFault(answer: { status: number; headers: Headers; body: unknown }): ToolFault {
  const { code, message, retryAfter, ...rest } = answer.body as {
    code: string;
    message: string;
    retryAfter?: number;
  };
  const seconds = retryAfter ?? readRetryAfter(answer.headers);
  return {
    code,
    message,
    retry: seconds !== null || answer.status === 408,
    ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
    ...rest,
  };
}

/**
 * The fault behind whatever a call threw, or undefined for what nobody foresaw. `repeatable`: the call may be made twice
 * without harm, so that it can be repeated where nobody knows whether it was carried out.
 */
export function thrownFault(error: unknown, repeatable: boolean): ToolFault | undefined {
  if (error instanceof ToolError) return error.fault;
  // What the server answers at any path, and no operation lists: 404, 405, 408, 414 and 431.
  if (isFairleadError(error)) return answeredFault(error);
  if (error instanceof UnexpectedAnswerError) {
    const message = `${ownCodes.UNEXPECTED_ANSWER} Status ${error.status}.`;
    return { code: 'UNEXPECTED_ANSWER', message, retry: repeatable && error.status >= 500 };
  }
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') {
    return { code: 'TIMEOUT', message: `${ownCodes.TIMEOUT} ${doubt(repeatable)}`, retry: repeatable };
  }
  if (error instanceof TypeError && error.cause instanceof Error) {
    const message = `${ownCodes.UNREACHABLE} ${reasonOf(error.cause)}. ${doubt(repeatable)}`;
    return { code: 'UNREACHABLE', message, retry: repeatable };
  }
  return undefined;
}

function doubt(repeatable: boolean): string {
  return repeatable
    ? 'The call may be repeated.'
    : 'It is not known whether the change was made: read before you repeat it.';
}

/** `connect ECONNREFUSED 127.0.0.1:8080`; where several addresses were tried, the reason is in the code alone. */
function reasonOf(cause: Error): string {
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
