import { initServer } from '@ts-rest/express';
import { webhooksContract } from '../../contract/endpoints/webhooks.js';
import { utcInstant } from '../../contract/verification/instant.js';
import type { InTransaction } from '../mongo/transactions.js';
import type { Outbound } from '../outbound/outbound.js';
import { vetUrl } from '../outbound/vet-url.js';
import { createDeliveryLog, type DeliveryLog } from './delivery-log.js';
import { createEmit } from './outbox.js';
import type { OutboxStore } from './outbox-store.js';
import { createOpenSecrets, createSecretBox, developmentKey } from './secrets.js';
import { createSender } from './sender.js';
import { createWebhookService, type WebhookService } from './service.js';
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

function createWebhooksRouter(deps: { service: WebhookService; log: DeliveryLog }) {
  const { service, log } = deps;
  return initServer().router(webhooksContract, {
    createWebhook: async ({ body, res }) => {
      const answer = await service.create(body);
      res.setHeader('Location', `/api/admin/webhooks/${answer.id}`);
      return { status: 201, body: answer };
    },
    listWebhooks: async ({ query }) => ({ status: 200, body: await service.list(query) }),
    getWebhook: async ({ params }) => ({ status: 200, body: await service.get(params.id) }),
    updateWebhook: async ({ params, body }) => ({ status: 200, body: await service.update(params.id, body) }),
    deleteWebhook: async ({ params }) => ({ status: 200, body: await service.remove(params.id) }),
    rotateWebhookSecret: async ({ params, body }) => ({
      status: 200,
      body: await service.rotateSecret(params.id, body),
    }),
    testWebhook: async ({ params, body }) => ({
      status: 202,
      body: await log.sendTest(params.id, body?.event),
    }),
    listDeliveries: async ({ params, query }) => ({ status: 200, body: await log.list(params.id, query) }),
    resendDelivery: async ({ params }) => ({
      status: 202,
      body: await log.resend(params.id, params.deliveryId),
    }),
    resendFailedDeliveries: async ({ params, body }) => ({
      status: 202,
      body: await log.resendFailed(params.id, new Date(utcInstant(body.since) ?? body.since)),
    }),
  });
}
