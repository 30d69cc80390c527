import type { ZodError } from 'zod';
import { isFairleadError, readRetryAfter, UnexpectedAnswerError } from '../contract/index.js';

/** What a tool says of its failure: what went wrong, and whether the same call may succeed later. */
export interface ToolFault {
  /** A code of the service (docs/errors.md), or one of `ownCodes`. */
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
  NOTHING_PUBLISHED: 'The service has published no batch yet.',
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

/** What may be done where nobody knows whether a call was carried out. */
export type Repetition = 'repeat' | 'repeat as sent' | 'read first';

const doubts: Record<Repetition, string> = {
  repeat: 'The call may be repeated.',
  'repeat as sent':
    'It is not known whether this was done. If you repeat it, give what `sent` has: it is then done once.',
  'read first': 'It is not known whether the change was made: read before you repeat it.',
};

/**
 * An error that the service answered. Waiting helps where it says for how long, and after a 408. After a 5xx, a change may
 * have been made all the same, unless there was no rate for it.
 */
export function answeredFault(
  answer: { status: number; headers: Headers; body: unknown },
  repetition: Repetition = 'repeat',
): ToolFault {
  const { code, message, retryAfter, ...rest } = answer.body as {
    code: string;
    message: string;
    retryAfter?: number;
  };
  const seconds = retryAfter ?? readRetryAfter(answer.headers);
  const inDoubt = answer.status >= 500 && code !== 'RATES_UNAVAILABLE' && repetition !== 'repeat';
  return {
    code,
    message: inDoubt ? `${message} ${doubts[repetition]}` : message,
    retry: (seconds !== null || answer.status === 408) && !(inDoubt && repetition === 'read first'),
    ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
    ...rest,
  };
}

/** The fault behind whatever a call threw, or undefined for what nobody foresaw. */
export function thrownFault(error: unknown, repetition: Repetition): ToolFault | undefined {
  const retry = repetition !== 'read first';
  const doubt = doubts[repetition];
  if (error instanceof ToolError) return error.fault;
  // What the server answers at any path, and no operation lists: 404, 405, 408, 414 and 431.
  if (isFairleadError(error)) return answeredFault(error, repetition);
  if (error instanceof UnexpectedAnswerError) {
    const inDoubt = error.status >= 500;
    const message = `${ownCodes.UNEXPECTED_ANSWER} Status ${error.status}.`;
    return {
      code: 'UNEXPECTED_ANSWER',
      message: inDoubt ? `${message} ${doubt}` : message,
      retry: retry && inDoubt,
    };
  }
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') {
    return { code: 'TIMEOUT', message: `${ownCodes.TIMEOUT} ${doubt}`, retry };
  }
  if (error instanceof TypeError && error.cause instanceof Error) {
    const message = `${ownCodes.UNREACHABLE} ${reasonOf(error.cause)}. ${doubt}`;
    return { code: 'UNREACHABLE', message, retry };
  }
  return undefined;
}

/** `connect ECONNREFUSED 127.0.0.1:8080`; where several addresses were tried, the reason is in the code alone. */
function reasonOf(cause: Error): string {
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
