import { type ErrorCode, type ErrorDetail, errorTable, type UnavailableAnchor } from '../contract/errors.js';

interface ErrorExtras {
  details?: ErrorDetail[];
  /** Whole seconds, 1 or more. */
  retryAfter?: number | undefined;
  /** ISO 8601 UTC. */
  startedAt?: string;
  unavailable?: UnavailableAnchor[];
  cause?: unknown;
}

/** An error that the contract documents; thrown anywhere, turned into an answer by http/error-mapper alone. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? {} : { cause: extras.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errorTable[code].status;
    this.extras = extras;
  }
}

/** An error whose message is meant for the operator as it is. */
export class OperatorError extends Error {}

/** UNSUPPORTED_PAIR for a value in a query or body; `path` says where, such as `query.corridor`. */
export function unsupportedPair(path: string, message: string): ApiError {
  return new ApiError('UNSUPPORTED_PAIR', `${path}: ${message}`, { details: [{ path, message }] });
}

/** AMOUNT_OUT_OF_RANGE for an amount in a query or body. */
export function outOfRange(path: string, message: string): ApiError {
  return new ApiError('AMOUNT_OUT_OF_RANGE', `${path}: ${message}`, { details: [{ path, message }] });
}

/** INVALID_REQUEST with the first fault as its message. Lists one fault per path, as further ones follow from it. */
export function invalidRequest(faults: readonly ErrorDetail[]): ApiError {
  const byPath = new Map<string, ErrorDetail>();
  for (const fault of faults) if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  const details = [...byPath.values()];
  const [first] = details;
  const message = first === undefined ? 'The request is not valid.' : `${first.path}: ${first.message}`;
  return new ApiError('INVALID_REQUEST', message, { details });
}

/** Everything that is wrong with what an operator wrote, for the operator to read. */
export function faultList(what: string, faults: readonly string[]): string {
  return [`${what} has ${faults.length} fault(s):`, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}

/** What a run under a lease came to. Throws RUN_IN_PROGRESS where it did not run, since another instance holds the lease. */
export function resultOf<T>(run: { ran: true; value: T } | { ran: false; startedAt: string }): T {
  if (run.ran) return run.value;
  throw new ApiError('RUN_IN_PROGRESS', `Another run is under way since ${run.startedAt}.`, {
    startedAt: run.startedAt,
  });
}
