import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { noBody, noQuery, page, pageQuery } from '../schemas/primitives.js';
import {
  createWebhookBody,
  deletedWebhook,
  deliveryAnswer,
  deliveryId,
  deliveryState,
  resendFailedBody,
  resentDeliveries,
  rotateSecretBody,
  testWebhookBody,
  updateWebhookBody,
  webhookAnswer,
  webhookId,
} from '../schemas/webhooks.js';

const c = initContract();

const shared = { tag: 'webhooks', access: 'admin', limit: 'default', cache: 'no-store' } as const;
const pathOfOne = z.object({ id: webhookId });

export const webhooksContract = c.router(
  {
    createWebhook: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/admin/webhooks',
      operationId: 'createWebhook',
      leadsTo: {
        getWebhook: { id: '$response.body#/id' },
        updateWebhook: { id: '$response.body#/id' },
        rotateWebhookSecret: { id: '$response.body#/id' },
        testWebhook: { id: '$response.body#/id' },
        listDeliveries: { id: '$response.body#/id' },
        resendFailedDeliveries: { id: '$response.body#/id' },
        deleteWebhook: { id: '$response.body#/id' },
      },
      summary: 'Register a webhook',
      description:
        'From now on every subscribed event is sent to the address, signed with the secret, at least once. An address ' +
        'that may not be called is refused here, and again at each delivery. Answers 201 with Location.',
      query: noQuery,
      body: createWebhookBody,
      responses: { 201: webhookAnswer },
    }),
    listWebhooks: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/admin/webhooks',
      operationId: 'listWebhooks',
      leadsTo: {
        getWebhook: { id: '$response.body#/items/0/id' },
        listDeliveries: { id: '$response.body#/items/0/id' },
      },
      summary: 'List webhooks',
      description: 'Every webhook, enabled or not, in the order of registration.',
      query: z.object(pageQuery).strict(),
      responses: { 200: page(webhookAnswer) },
    }),
    getWebhook: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/admin/webhooks/:id',
      operationId: 'getWebhook',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Read one webhook',
      description: 'Where it sends, what it is subscribed to, and whether and why it is disabled.',
      pathParams: pathOfOne,
      query: noQuery,
      responses: { 200: webhookAnswer },
    }),
    updateWebhook: describeRoute({
      ...shared,
      method: 'PATCH',
      path: '/api/admin/webhooks/:id',
      operationId: 'updateWebhook',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Change, enable or disable a webhook',
      description:
        'Changes address, subscription or both; `enabled: true` also sends the deliveries that were held while it was ' +
        'disabled, the oldest waiting ones first, but in no promised order. Waiting deliveries go to the new address.',
      pathParams: pathOfOne,
      query: noQuery,
      body: updateWebhookBody,
      responses: { 200: webhookAnswer },
    }),
    deleteWebhook: describeRoute({
      ...shared,
      method: 'DELETE',
      path: '/api/admin/webhooks/:id',
      operationId: 'deleteWebhook',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Delete a webhook',
      description:
        'Nothing more is sent, except what is being sent at this moment. Its deliveries, waiting or settled, are ' +
        'deleted too.',
      pathParams: pathOfOne,
      query: noQuery,
      responses: { 200: deletedWebhook },
    }),
    rotateWebhookSecret: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/admin/webhooks/:id/secret',
      operationId: 'rotateWebhookSecret',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Replace the secret of a webhook',
      description:
        'Until the overlap ends, X-Fairlead-Signature, which holds exactly one signature, is made with the old secret; a ' +
        '4xx answer is followed at once by another POST that is signed with the new one, and only a receiver that ' +
        'refuses both is disabled. `webhook-signature` lists signatures by both.',
      pathParams: pathOfOne,
      query: noQuery,
      body: rotateSecretBody,
      responses: { 200: webhookAnswer },
    }),
    testWebhook: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/admin/webhooks/:id/test',
      operationId: 'testWebhook',
      errors: ['UNKNOWN_WEBHOOK'],
      leadsTo: {
        listDeliveries: { id: '$request.path.id' },
        resendDelivery: { id: '$request.path.id', deliveryId: '$response.body#/id' },
      },
      summary: 'Send a test event',
      description:
        'Sends made-up data of an event to this webhook alone, even if it is disabled or not subscribed to it; with ' +
        'the header `X-Fairlead-Test: true` and an id that begins with `evt_test`. Answers 202 with the delivery; ' +
        'read the outcome from the list of deliveries.',
      pathParams: pathOfOne,
      query: noQuery,
      body: testWebhookBody.optional(),
      responses: { 202: deliveryAnswer },
    }),
    listDeliveries: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/admin/webhooks/:id/deliveries',
      operationId: 'listDeliveries',
      errors: ['UNKNOWN_WEBHOOK'],
      leadsTo: {
        resendDelivery: { id: '$request.path.id', deliveryId: '$response.body#/items/0/id' },
      },
      summary: 'List the deliveries of a webhook',
      description:
        'What became of each event, newest first, with every attempt; kept for 30 days. Filtered by state.',
      pathParams: pathOfOne,
      query: z.object({ state: deliveryState.optional(), ...pageQuery }).strict(),
      responses: { 200: page(deliveryAnswer) },
    }),
    resendDelivery: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/admin/webhooks/:id/deliveries/:deliveryId/resend',
      operationId: 'resendDelivery',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Send a delivery again',
      description:
        'Sends it now, with the same id and body and the present secret, even if the webhook is disabled. A ' +
        'settled delivery gets four new attempts; a waiting one is brought forward; one that is being sent is left alone.',
      pathParams: pathOfOne.extend({ deliveryId }),
      query: noQuery,
      body: noBody,
      responses: { 202: deliveryAnswer },
    }),
    resendFailedDeliveries: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/admin/webhooks/:id/resend',
      operationId: 'resendFailedDeliveries',
      errors: ['UNKNOWN_WEBHOOK'],
      summary: 'Send again what failed since a time',
      description:
        'Sends every delivery again that was refused or exhausted since then, tests excepted: at most 1,000 per call, ' +
        'those that failed first in front, each with its id and body and four new attempts. They wait while the webhook ' +
        'is disabled. A second call with the same `since` sends none of them again, even if they have failed again; a ' +
        'call with a later `since` does.',
      pathParams: pathOfOne,
      query: noQuery,
      body: resendFailedBody,
      responses: { 202: resentDeliveries },
    }),
  },
  { strictStatusCodes: true },
);
