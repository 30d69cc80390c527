import type { AttemptOutcome } from '../../../contract/schemas/webhooks.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import type { Clock } from '../../ports.js';
import { answerBytes, excerptOf } from './answer-excerpt.rules.js';
import { outcomeOfStatus } from './delivery-state.rules.js';
import { deliveryHeaders } from './signature.rules.js';
import type { AttemptRow } from './store.js';
import type { Claimed } from './work-queue.js';

/** Where and with what a webhook is sent to, its secrets opened. */
export interface Destination {
  url: string;
  /** Those in force, oldest first. */
  secrets: string[];
  /** Every secret the receiver may remember, in all its forms: they are cut out of what it answers. */
  cutOut: string[];
}

/** Makes the one POST of an attempt and says how it ended; rejects only where this program is at fault. */
export type SendDelivery = (delivery: Claimed, to: Destination) => Promise<AttemptRow>;

const outcomeOfFailure: Record<OutboundFailure, AttemptOutcome> = {
  timeout: 'timeout',
  unreachable: 'unreachable',
  bad_response: 'bad_response',
  too_large: 'bad_response',
  blocked: 'blocked',
  invalid_url: 'blocked',
};

export function createSender(deps: {
  outbound: Outbound;
  clock: Clock;
  /** Only measures how long an attempt took. */
  stopwatch: Clock;
  timeoutMs: number;
}): SendDelivery {
  const { outbound, clock, stopwatch, timeoutMs } = deps;
  return async (delivery, to) => {
    const startedAtMs = clock();
    const startedOn = stopwatch();
    const record = { attempt: delivery.attempt, at: new Date(startedAtMs) };
    const timestampSeconds = Math.floor(startedAtMs / 1_000);
    try {
      const answer = await outbound({
        url: to.url,
        method: 'POST',
        headers: deliveryHeaders({ ...delivery, secrets: to.secrets, timestampSeconds }),
        body: delivery.body,
        timeoutMs,
        maxBytes: answerBytes,
        onOverflow: 'truncate',
      });
      const { status, elapsedMs } = answer;
      const outcome = outcomeOfStatus(status);
      return { ...record, outcome, status, elapsedMs, answer: excerptOf(answer.body, to.cutOut) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const elapsedMs = Math.round(stopwatch() - startedOn);
      return { ...record, outcome: outcomeOfFailure[error.failure], status: null, elapsedMs, answer: null };
    }
  };
}
