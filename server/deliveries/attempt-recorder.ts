import { setTimeout as rest } from 'node:timers/promises';
import { backoffMs } from '../jobs/backoff.js';
import type { Logger, Random } from '../ports.js';
import { afterAttempt } from './attempts.rules.js';
import type { FinishedAttempt } from './claims.rules.js';
import type { Claimed, Posts } from './delivery.rules.js';
import { lastOf } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import type { DeliveryLimits } from './limits.js';
import type { DeliveryMeter, Endpoint, Endpoints } from './ports.js';

/** Decides the state of a delivery after an attempt, and stores both. */
export interface Recorder {
  /**
   * Resolves once the attempt is recorded, or recording has failed. Never rejects: if an attempt was not recorded, its
   * claim expires and the attempt counts as `unknown`.
   */
  record(delivery: Claimed, posts: Posts, to: Endpoint): Promise<void>;
}

const batchSize = 256;
/** The pause between two batches, so that a stream of attempts takes few writes; the first batch is written at once. */
const restBetweenBatchesMs = 25;

export function createRecorder(deps: {
  store: Pick<DeliveryStore, 'record'>;
  endpoints: Pick<Endpoints, 'disable'>;
  meter: DeliveryMeter;
  random: Random;
  logger: Logger;
  limits: Pick<DeliveryLimits, 'retry'>;
}): Recorder {
  const { store, endpoints, meter, random, logger, limits } = deps;
  interface Waiting {
    finished: FinishedAttempt;
    written: () => void;
    failed: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let writing = false;

  /** Disables the webhook first: if the process ends in between, the claim expires and the delivery is held. */
  async function settle(finished: FinishedAttempt, to: Endpoint): Promise<void> {
    const { delivery, posts, after } = finished;
    const fields = { webhookId: delivery.webhookId, deliveryId: delivery._id };
    if (after.state === 'refused') {
      const { status } = lastOf(posts);
      const disabled = await endpoints.disable(delivery.webhookId, to.revision, status);
      if (disabled) logger.error({ ...fields, status }, 'webhook disabled by its receiver');
    }
    await write(finished);
    if (after.state === 'pending') return;
    meter.settled(after.state);
    if (after.state === 'exhausted')
      logger.warn({ ...fields, deliveries: 1 }, 'webhook deliveries exhausted');
  }

  /** Attempts that end while a batch is being written make up the next one. */
  function write(finished: FinishedAttempt): Promise<void> {
    return new Promise((written, failed) => {
      waiting.push({ finished, written, failed });
      if (!writing) void writeBatches();
    });
  }

  async function writeBatches(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      try {
        await store.record(batch.map(({ finished }) => finished));
        for (const { written } of batch) written();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      if (waiting.length < batchSize) await rest(restBetweenBatchesMs);
    }
    writing = false;
  }

  return {
    async record(delivery, posts, to) {
      for (const { outcome } of posts) meter.attempted(outcome);
      const after = afterAttempt(lastOf(posts).outcome, delivery.attempt, delivery.lastAttempt);
      const delayMs = after.state === 'pending' ? backoffMs(after.failures, limits.retry, random) : 0;
      try {
        await settle({ delivery, posts, after, delayMs }, to);
      } catch (error) {
        const fields = { err: error, deliveryId: delivery._id };
        logger.warn(fields, 'webhook attempt was not recorded; it counts as unknown');
      }
    },
  };
}
