import type { Route } from '../../../contract/client/route.js';
import type { RatesAnswer } from '../../../contract/client/types/rates.js';
import { answerFault } from '../../../contract/client/validating/answer-fault.js';

export interface ReceivedAnswer {
  status: number;
  /** By lower-case name; null where it is absent. */
  header(name: string): string | null;
  /** Undefined where the body is not JSON. */
  body: unknown;
  /** When its request was sent, in epoch milliseconds. */
  sentAtMs: number;
}

/** Quotes are fresh for 15 s and shown for 60 s; caches may add some seconds to an answer's age. */
const freshMs = 15_000;
const longestShownMs = 60_000;
const inCachesMs = 5_000;

/**
 * How an answer deviates from the contract, in a sentence; undefined if it does not. No fault around the service may cause a
 * 500, so a 500 always deviates.
 */
export function faultOfAnswer(
  route: Route,
  { status, header, body, sentAtMs }: ReceivedAnswer,
): string | undefined {
  if (header('x-request-id') === null) return 'The answer has no X-Request-Id.';
  if (status === 500) return 'The service answered 500.';
  if (!route.statuses.includes(status)) return `The contract does not list the status ${status}.`;
  if (status === 204) return undefined;
  const fault = answerFault(route, status, body);
  if (fault !== undefined) return `The contract does not have this body: ${fault.path} ${fault.message}.`;
  const { code, retryAfter } = body as { code?: string; retryAfter?: number };
  const asHeader = header('retry-after');
  if ((code === 'NOT_READY' || code === 'RATE_LIMITED') && String(retryAfter) !== asHeader)
    return `retryAfter is ${retryAfter}, and Retry-After is ${asHeader}.`;
  if (route.operationId === 'getRates' && status === 200) return faultOfAge(body as RatesAnswer, sentAtMs);
  return undefined;
}

/**
 * Judges the age at the time when the request was sent, so that a slow answer is no fault. The Date header cannot be used: in
 * a process whose clock the storm has shifted, some answers have the shifted time and others the machine's.
 */
function faultOfAge({ asOf, stale }: RatesAnswer, sentAtMs: number): string | undefined {
  const ageMs = sentAtMs - Date.parse(asOf);
  const sentAt = new Date(sentAtMs).toISOString();
  if (ageMs > longestShownMs + inCachesMs) return `A quote of ${asOf} is shown at ${sentAt}.`;
  return ageMs > freshMs + inCachesMs && !stale
    ? `A quote of ${asOf} is not called stale at ${sentAt}.`
    : undefined;
}
