import type { AttemptOutcome, DeliveryAnswer, DeliveryState } from '../../../contract/schemas/webhooks.js';

/** Interface specification, "Limits": at most 3 retries after the first attempt. Re-sending grants as many again. */
export const attemptsGranted = 4;

/** Interface specification, "Delivery" 3 to 5. A redirect is not followed and counts as a fault of the receiver's. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** What an attempt makes of its delivery. `retry` counts from 1: the how-maniest failure in this grant it was. */
export type Verdict =
  | { state: 'delivered' | 'refused' | 'exhausted'; retry: null }
  | { state: 'pending'; retry: number };

/** `attempt` has just ended so; `lastAttempt` is the last one granted. */
export function verdictOn(outcome: AttemptOutcome, attempt: number, lastAttempt: number): Verdict {
  if (outcome === 'acknowledged') return { state: 'delivered', retry: null };
  if (outcome === 'refused') return { state: 'refused', retry: null };
  if (attempt >= lastAttempt) return { state: 'exhausted', retry: null };
  return { state: 'pending', retry: attempt - lastAttempt + attemptsGranted };
}

/** What a delivery waits for is kept nowhere but in its webhook: held is pending with a webhook that is disabled. */
export function shownState(
  stored: Exclude<DeliveryState, 'held'>,
  sentAlthoughDisabled: boolean,
  enabled: boolean,
): DeliveryAnswer['state'] {
  return stored === 'pending' && !enabled && !sentAlthoughDisabled ? 'held' : stored;
}
