import type { Route } from '../../../contract/client/route.js';
import { answerFault } from '../../../contract/client/validating/answer-fault.js';

export interface ReceivedAnswer {
  status: number;
  /** By lower-case name; null where it is absent. */
  header(name: string): string | null;
  /** Undefined where the body is not JSON. */
  body: unknown;
}

/**
 * What of an answer is not as the contract says, in a sentence; undefined where all is. A 500 is none of the answers that
 * a fault around the service may lead to, so it is always one.
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
  return undefined;
}
