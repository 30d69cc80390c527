import type { InTransaction } from '../mongo/transactions.js';
import type { Outbound } from '../outbound/outbound.js';
import { vetUrl } from '../outbound/vet-url.js';
import { createDeliveryLog } from './delivery-log.js';
import { createEmit } from './outbox.js';
import type { OutboxStore } from './outbox-store.js';
import { createWebhooksRouter } from './router.js';
import { createOpenSecrets, createSecretBox, developmentKey } from './secrets.js';
import { createSender } from './sender.js';
import { createWebhookService } from './service.js';
import type { WebhookStore } from './webhook-store.js';
import { createWorker, type WorkerDeps, type WorkerLimits, workerLimits } from './worker.js';

export interface WebhooksDeps
  extends Pick<WorkerDeps, 'deliveries' | 'countEnded' | 'clock' | 'random' | 'newId' | 'logger'> {
  outbox: OutboxStore;
  webhooks: WebhookStore;
  /** WEBHOOK_KEY; absent only in development. */
  webhookKey: string | undefined;
  /** A connector of its own: receivers that hang must not use up the concurrent calls to anchors. */
  outbound: Outbound;
  /** The origins of OUTBOUND_ALLOW, by which addresses are vetted at registration. */
  outboundAllow: readonly string[];
  inTransaction: InTransaction;
  /** Overrides for tests. */
  limits?: Partial<WorkerLimits>;
}

/**
 * Webhooks: their administration, and their deliveries, each made at least once. The path of an event: outbox.ts →
 * worker.ts → sender.ts.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { outbox, clock, logger } = deps;
  const limits = { ...workerLimits, ...deps.limits };
  const allowed = new Set(deps.outboundAllow);
  const box = createSecretBox(deps.webhookKey ?? developmentKey);
  const worker = createWorker({
    ...deps,
    openSecrets: createOpenSecrets({ box, clock, logger }),
    send: createSender({ ...deps, stopwatch: () => performance.now(), timeoutMs: limits.timeoutMs }),
    limits,
  });
  const events = outbox.watch(worker.wake, logger);

  const service = createWebhookService({
    ...deps,
    secretBox: box,
    vetUrl: (url) => vetUrl(url, allowed),
    wakeWorker: worker.wake,
  });
  const log = createDeliveryLog({ ...deps, wakeWorker: worker.wake });

  return {
    router: createWebhooksRouter({ service, log }),
    service,
    log,
    emit: createEmit(deps),
    /** Delivers what is due. The schedule calls it every second, on every instance. */
    work: worker.work,
    /** From now on a change stream wakes the worker for new events. */
    start() {
      if (deps.webhookKey === undefined)
        logger.warn(
          {},
          'WEBHOOK_KEY is not set: secrets of webhooks are encrypted with a key that everybody knows',
        );
      events.start();
    },
    /**
     * Starts no more attempts, and waits for those under way: 5 s at most, 10 s while a secret is being replaced.
     * A refusal of one of the secrets alone must not be recorded: it would disable the webhook.
     */
    async stop() {
      await events.stop();
      await worker.stop();
    },
  };
}
