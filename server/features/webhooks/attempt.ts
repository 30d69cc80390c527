import { type BackoffPolicy, backoffMs } from '../../jobs/backoff.js';
import type { Logger, Random } from '../../ports.js';
import { verdictOn } from './delivery-state.rules.js';
import type { Destinations, Recipient } from './destinations.js';
import type { SendDelivery } from './sender.js';
import type { Settler } from './settler.js';
import type { AttemptRow } from './store.js';
import type { Claimed } from './work-queue.js';
import type { Settlement } from './work-updates.rules.js';

/** After the first, second and third failure: 10 s, 60 s and 360 s, ±20 %. */
export const retryPolicy: BackoffPolicy = { baseMs: 10_000, factor: 6, maxMs: 360_000, jitter: 0.2 };

/** The POST is over; `settled` resolves when that is recorded and never rejects. */
export interface MadeAttempt {
  outcome: AttemptRow['outcome'];
  elapsedMs: number;
  settled: Promise<void>;
}

/** Rejects where this program is at fault: the claim then runs out. */
export type MakeAttempt = (delivery: Claimed, to: Recipient) => Promise<MadeAttempt>;

/** Told of what happened, for the metrics. */
export interface WebhookMeter {
  attempted(outcome: AttemptRow['outcome']): void;
  settled(state: 'delivered' | 'refused' | 'exhausted'): void;
}

export function createMakeAttempt(deps: {
  send: SendDelivery;
  settler: Settler;
  destinations: Pick<Destinations, 'disable'>;
  random: Random;
  meter: WebhookMeter;
  logger: Logger;
  retry: BackoffPolicy;
}): MakeAttempt {
  const { send, settler, destinations, random, meter, logger, retry } = deps;

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
    if (verdict.state === 'exhausted')
      logger.warn({ ...fields, deliveries: 1 }, 'webhook deliveries exhausted');
  }

  return async (delivery, to) => {
    const row = await send(delivery, to);
    meter.attempted(row.outcome);
    const verdict = verdictOn(row.outcome, delivery.attempt, delivery.lastAttempt);
    const delayMs = verdict.retry === null ? 0 : backoffMs(verdict.retry, retry, random);
    const settled = record({ delivery, record: row, verdict, delayMs }, to).catch((error: unknown) => {
      const fields = { err: error, deliveryId: delivery._id };
      logger.warn(fields, 'webhook attempt was not recorded; it counts as unknown');
    });
    return { outcome: row.outcome, elapsedMs: row.elapsedMs ?? 0, settled };
  };
}
