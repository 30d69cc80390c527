import { type BackoffPolicy, backoffMs } from '../../jobs/backoff.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { verdictOn } from './delivery-state.rules.js';
import type { Destinations, Recipient } from './destinations.js';
import type { SendDelivery } from './sender.js';
import type { Settler } from './settler.js';
import type { AttemptRow } from './store.js';
import type { Claimed, Settlement, WorkQueue } from './work-queue.js';

/** After the first, second and third failure: 10 s, 60 s and 360 s, ±20 %. */
export const retryPolicy: BackoffPolicy = { baseMs: 10_000, factor: 6, maxMs: 360_000, jitter: 0.2 };

export interface AttemptLimits {
  /** How long a claim lasts. */
  claimMs: number;
  /** How long a POST may take, its answer included (interface specification, "Limits"). */
  timeoutMs: number;
  retry: BackoffPolicy;
}

/** The POST is over; `settled` resolves when that is recorded and never rejects. */
export interface MadeAttempt {
  /** Null where none was made. */
  acknowledged: boolean | null;
  settled: Promise<void>;
}

export type MakeAttempt = (delivery: Claimed, to: Recipient, claimedOn: number) => Promise<MadeAttempt>;

/** Told of what happened, for the metrics. */
export interface WebhookMeter {
  attempted(outcome: AttemptRow['outcome']): void;
  settled(state: 'delivered' | 'refused' | 'exhausted'): void;
}

/** Rejects where nothing could be sent, through no fault of the receiver: the claim is handed back or runs out. */
export function createMakeAttempt(deps: {
  send: SendDelivery;
  settler: Settler;
  queue: Pick<WorkQueue, 'release'>;
  destinations: Pick<Destinations, 'disable'>;
  stopwatch: Clock;
  random: Random;
  meter: WebhookMeter;
  logger: Logger;
  limits: AttemptLimits;
}): MakeAttempt {
  const { send, settler, queue, destinations, stopwatch, random, meter, logger, limits } = deps;
  // As much again as the POST may take: for what comes before and after it.
  const startsWithinMs = limits.claimMs - 2 * limits.timeoutMs;

  /** In this order: should we end in between, the claim runs out and the delivery is held. */
  async function record(settlement: Settlement, to: Recipient): Promise<void> {
    const { delivery, record, verdict } = settlement;
    const fields = { webhookId: delivery.webhookId, deliveryId: delivery._id };
    if (verdict.state === 'refused') {
      const disabled = await destinations.disable(fields.webhookId, to.revision, record.status);
      if (disabled) logger.error({ ...fields, status: record.status }, 'webhook disabled by its receiver');
    }
    await settler.settle(settlement);
    if (verdict.state === 'pending') return;
    meter.settled(verdict.state);
    if (verdict.state === 'exhausted') logger.warn(fields, 'webhook delivery exhausted');
  }

  return async (delivery, to, claimedOn) => {
    if (stopwatch() - claimedOn > startsWithinMs) {
      await queue.release([delivery]);
      return { acknowledged: null, settled: Promise.resolve() };
    }
    const row = await send(delivery, to);
    meter.attempted(row.outcome);
    const verdict = verdictOn(row.outcome, delivery.attempt, delivery.lastAttempt);
    const delayMs = verdict.retry === null ? 0 : backoffMs(verdict.retry, limits.retry, random);
    const settled = record({ delivery, record: row, verdict, delayMs }, to).catch((error: unknown) => {
      logger.warn(
        { err: error, deliveryId: delivery._id },
        'webhook attempt was not recorded; it counts as unknown',
      );
    });
    return { acknowledged: row.outcome === 'acknowledged', settled };
  };
}
