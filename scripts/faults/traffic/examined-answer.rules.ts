import type { Route } from '../../../contract/client/route.js';
import type { RatesAnswer } from '../../../contract/client/types/rates.js';
import { answerFault } from '../../../contract/client/validating/answer-fault.js';

export interface ReceivedAnswer {
  status: number;
  /** By lower-case name; null where it is absent. */
  header(name: string): string | null;
  /** Undefined where the body is not JSON. */
  body: unknown;
}

/** Quotes are fresh for 15 s and shown for 60 s; transfer and caches may add some seconds to an answer's age. */
const freshMs = 15_000;
const longestShownMs = 60_000;
const onItsWayMs = 5_000;

/**
 * How an answer deviates from the contract, in a sentence; undefined if it does not. No fault around the service may cause a
 * 500, so a 500 always deviates.
 */
export function faultOfAnswer(route: Route, { status, header, body }: ReceivedAnswer): string | undefined {
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
  if (route.operationId === 'getRates' && status === 200)
    return faultOfAge(body as RatesAnswer, header('date'));
  return undefined;
}

/** Compares with the clock of the instance itself, which may be wrong. */
function faultOfAge({ asOf, stale }: RatesAnswer, date: string | null): string | undefined {
  if (date === null) return 'The answer has no Date.';
  const ageMs = Date.parse(date) - Date.parse(asOf);
  if (ageMs > longestShownMs + onItsWayMs) return `A quote of ${asOf} is shown at ${date}.`;
  return ageMs > freshMs + onItsWayMs && !stale
    ? `A quote of ${asOf} is not called stale at ${date}.`
    : undefined;
}
