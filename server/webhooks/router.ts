import { initServer } from '@ts-rest/express';
import { webhooksContract } from '../../contract/endpoints/webhooks.js';
import { utcInstant } from '../../contract/verification/instant.js';
import type { DeliveryLog } from './delivery-log.js';
import type { WebhookService } from './service.js';

export function createWebhooksRouter(deps: { service: WebhookService; log: DeliveryLog }) {
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
