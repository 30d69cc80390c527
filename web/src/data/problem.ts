import { type ErrorBody, isFairleadError, readRetryAfter } from '@fairlead/contract/client';

/** Why there is no newer answer. */
export type Problem =
  /** 429: too many requests from this address. */
  | { kind: 'limited'; body: ErrorBody }
  /** 500 or 503: the service says itself that it cannot answer. */
  | { kind: 'unavailable'; body: ErrorBody }
  /** Any other error of the contract: asking again does not help. */
  | { kind: 'refused'; status: number; body: ErrorBody }
  | { kind: 'offline' }
  /** No answer in time, or not one of the service. */
  | { kind: 'unreachable' };

export interface Failure {
  problem: Problem;
  /** When the request may be repeated; null if repeating does not help. */
  waitMs: number | null;
}

/** The wait before the request is repeated if the service does not name one. */
const usualWaitMs = 5_000;

/** The problem behind an error that a call threw; undefined if neither the service nor the network caused it. */
export function failureOf(error: unknown, isOnline: boolean): Failure | undefined {
  if (isFairleadError(error)) {
    const { status, body } = error;
    const seconds = readRetryAfter(error.headers);
    const waitMs = seconds === null ? usualWaitMs : seconds * 1_000;
    if (status === 429) return { problem: { kind: 'limited', body }, waitMs };
    if (status >= 500) return { problem: { kind: 'unavailable', body }, waitMs };
    return { problem: { kind: 'refused', status, body }, waitMs: null };
  }
  if (!isOfNetwork(error)) return undefined;
  return { problem: { kind: isOnline ? 'unreachable' : 'offline' }, waitMs: usualWaitMs };
}

/** `fetch` throws TypeError where there is no connection; the client, on a time-out and on answers of strangers. */
function isOfNetwork(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && ['TimeoutError', 'UnexpectedAnswerError'].includes(error.name))
  );
}
