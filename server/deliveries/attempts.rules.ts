import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';

/** Interface specification, "Limits": at most 3 retries after the first attempt. Sending again grants as many again. */
export const attemptsGranted = 4;

/** Interface specification, "Delivery" 3 to 5. A redirect is not followed and counts as the receiver's failure. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** The state of a delivery after an attempt. `failures`: how many attempts of the present grant have failed by now. */
export type AfterAttempt =
  | { state: 'delivered' | 'refused' | 'exhausted' }
  | { state: 'pending'; failures: number };

/** @param lastAttempt the number of the last attempt granted */
export function afterAttempt(outcome: AttemptOutcome, attempt: number, lastAttempt: number): AfterAttempt {
  if (outcome === 'acknowledged') return { state: 'delivered' };
  if (outcome === 'refused') return { state: 'refused' };
  if (attempt >= lastAttempt) return { state: 'exhausted' };
  return { state: 'pending', failures: attempt - lastAttempt + attemptsGranted };
}
