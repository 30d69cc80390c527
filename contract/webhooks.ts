import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { eventExamples } from './event-examples.js';
import { noBody, noQuery, page, pageQuery } from './primitives.js';
import { describeRoute } from './route-metadata.js';
import {
  type CreateWebhookBody,
  createWebhookBody,
  type DeliveryAnswer,
  deletedWebhook,
  deliveryAnswer,
  deliveryId,
  deliveryState,
  rotateSecretBody,
  testWebhookBody,
  updateWebhookBody,
  type WebhookAnswer,
  webhookAnswer,
  webhookId,
} from './webhook-answers.js';

const c = initContract();

const exampleWebhook = {
  id: 'whk_019ab5d6c1a04f1b2c3d4e5f60718293a4b5c6d7e8f9',
  url: 'https://wallet.example/fairlead',
  events: ['intent.settled', 'intent.failed'],
  enabled: true,
  disabled: null,
  secretChangedAt: '2026-11-21T09:00:00.000Z',
  overlapEndsAt: null,
  createdAt: '2026-11-21T09:00:00.000Z',
  updatedAt: '2026-11-21T09:00:00.000Z',
} satisfies WebhookAnswer;

const exampleDelivery = {
  id: 'dlv_019ab5f24a105a6b7c8d9e0f1a2b3c4d5e6f70819203',
  webhookId: exampleWebhook.id,
  eventId: 'evt_9f86d081884c7d659a2feaa0c55ad015',
  event: 'intent.settled',
  test: false,
  state: 'pending',
  createdAt: '2026-11-21T09:30:00.000Z',
  nextAttemptAt: '2026-11-21T09:30:11.204Z',
  settledAt: null,
  body: JSON.stringify({
    event: 'intent.settled',
    id: 'evt_9f86d081884c7d659a2feaa0c55ad015',
    createdAt: '2026-11-21T09:29:59.950Z',
    data: eventExamples['intent.settled'],
  }),
  attempts: [
    {
      attempt: 1,
      at: '2026-11-21T09:30:00.012Z',
      outcome: 'failed',
      status: 503,
      elapsedMs: 84,
      answer: 'upstream is restarting',
    },
  ],
} satisfies DeliveryAnswer;

const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const params = { id: exampleWebhook.id };
const shared = { tag: 'webhooks', access: 'admin', limit: 'default', cache: 'no-store' } as const;
const pathOfOne = z.object({ id: webhookId });

const createWebhook = describeRoute({
  ...shared,
  method: 'POST',
  operationId: 'createWebhook',
  example: {
    body: {
      url: exampleWebhook.url,
      events: ['intent.settled', 'intent.failed'],
      secret: exampleSecret,
    } satisfies CreateWebhookBody,
    answer: exampleWebhook,
  },
});

const listWebhooks = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'listWebhooks',
  example: { answer: { items: [exampleWebhook], nextCursor: null } },
});

const getWebhook = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'getWebhook',
  errors: ['UNKNOWN_WEBHOOK'],
  example: { params, answer: exampleWebhook },
});

const updateWebhook = describeRoute({
  ...shared,
  method: 'PATCH',
  operationId: 'updateWebhook',
  errors: ['UNKNOWN_WEBHOOK'],
  example: {
    params,
    body: { enabled: false },
    answer: {
      ...exampleWebhook,
      enabled: false,
      disabled: { reason: 'admin', status: null, at: '2026-11-21T10:00:00.000Z' },
      updatedAt: '2026-11-21T10:00:00.000Z',
    } satisfies WebhookAnswer,
  },
});

const deleteWebhook = describeRoute({
  ...shared,
  method: 'DELETE',
  operationId: 'deleteWebhook',
  errors: ['UNKNOWN_WEBHOOK'],
  example: { params, answer: { id: exampleWebhook.id, deletedAt: '2026-11-21T10:00:00.000Z' } },
});

const rotateWebhookSecret = describeRoute({
  ...shared,
  method: 'POST',
  operationId: 'rotateWebhookSecret',
  errors: ['UNKNOWN_WEBHOOK'],
  example: {
    params,
    body: { secret: exampleSecret },
    answer: {
      ...exampleWebhook,
      secretChangedAt: '2026-11-21T10:00:00.000Z',
      overlapEndsAt: '2026-11-22T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    } satisfies WebhookAnswer,
  },
});

const testWebhook = describeRoute({
  ...shared,
  method: 'POST',
  operationId: 'testWebhook',
  errors: ['UNKNOWN_WEBHOOK'],
  example: {
    params,
    body: { event: 'intent.settled' },
    answer: { ...exampleDelivery, eventId: 'evt_test9f86d081884c7d659a2feaa0c55ad015', test: true },
  },
});

const listDeliveries = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'listDeliveries',
  errors: ['UNKNOWN_WEBHOOK'],
  example: { params, query: { state: 'pending' }, answer: { items: [exampleDelivery], nextCursor: null } },
});

const resendDelivery = describeRoute({
  ...shared,
  method: 'POST',
  operationId: 'resendDelivery',
  errors: ['UNKNOWN_WEBHOOK'],
  example: { params: { ...params, deliveryId: exampleDelivery.id }, answer: exampleDelivery },
});

export const webhooksContract = c.router(
  {
    createWebhook: {
      method: createWebhook.method,
      path: '/api/admin/webhooks',
      summary: 'Register a webhook',
      description:
        'From now on every subscribed event is sent to the address, signed with the secret, at least once. An address ' +
        'that may not be called is refused here, and again at each delivery. Answers 201 with Location.',
      query: noQuery,
      body: createWebhookBody,
      responses: { 201: webhookAnswer, ...createWebhook.errors },
      metadata: createWebhook.metadata,
    },
    listWebhooks: {
      method: listWebhooks.method,
      path: '/api/admin/webhooks',
      summary: 'List webhooks',
      description: 'Every webhook, enabled or not, in the order of registration.',
      query: z.object(pageQuery).strict(),
      responses: { 200: page(webhookAnswer), ...listWebhooks.errors },
      metadata: listWebhooks.metadata,
    },
    getWebhook: {
      method: getWebhook.method,
      path: '/api/admin/webhooks/:id',
      summary: 'Read one webhook',
      description: 'Where it sends, what it is subscribed to, and whether and why it is disabled.',
      pathParams: pathOfOne,
      query: noQuery,
      responses: { 200: webhookAnswer, ...getWebhook.errors },
      metadata: getWebhook.metadata,
    },
    updateWebhook: {
      method: updateWebhook.method,
      path: '/api/admin/webhooks/:id',
      summary: 'Change, enable or disable a webhook',
      description:
        'Changes address, subscription or both; `enabled: true` also sends what was held since it was disabled, ' +
        'oldest first as far as they wait, in no promised order. Deliveries that are waiting go to the new address.',
      pathParams: pathOfOne,
      query: noQuery,
      body: updateWebhookBody,
      responses: { 200: webhookAnswer, ...updateWebhook.errors },
      metadata: updateWebhook.metadata,
    },
    deleteWebhook: {
      method: deleteWebhook.method,
      path: '/api/admin/webhooks/:id',
      summary: 'Delete a webhook',
      description:
        'Nothing more is sent, but for what is being sent at this moment. Its deliveries, waiting or settled, are ' +
        'deleted too.',
      pathParams: pathOfOne,
      query: noQuery,
      responses: { 200: deletedWebhook, ...deleteWebhook.errors },
      metadata: deleteWebhook.metadata,
    },
    rotateWebhookSecret: {
      method: rotateWebhookSecret.method,
      path: '/api/admin/webhooks/:id/secret',
      summary: 'Replace the secret of a webhook',
      description:
        'X-Fairlead-Signature, which is one signature exactly, is made with the old secret until the overlap ends; ' +
        '`webhook-signature` lists signatures by both. A receiver that accepts either secret meanwhile misses ' +
        'nothing.',
      pathParams: pathOfOne,
      query: noQuery,
      body: rotateSecretBody,
      responses: { 200: webhookAnswer, ...rotateWebhookSecret.errors },
      metadata: rotateWebhookSecret.metadata,
    },
    testWebhook: {
      method: testWebhook.method,
      path: '/api/admin/webhooks/:id/test',
      summary: 'Send a test event',
      description:
        'Sends made-up data of an event to this webhook alone, even if it is disabled or not subscribed to it; with ' +
        'the header `X-Fairlead-Test: true` and an id that begins with `evt_test`. Answers 202 with the delivery; ' +
        'read the outcome from the list of deliveries.',
      pathParams: pathOfOne,
      query: noQuery,
      body: testWebhookBody.optional(),
      responses: { 202: deliveryAnswer, ...testWebhook.errors },
      metadata: testWebhook.metadata,
    },
    listDeliveries: {
      method: listDeliveries.method,
      path: '/api/admin/webhooks/:id/deliveries',
      summary: 'List the deliveries of a webhook',
      description:
        'What became of each event, newest first, with every attempt; kept for 30 days. Filtered by state.',
      pathParams: pathOfOne,
      query: z.object({ state: deliveryState.optional(), ...pageQuery }).strict(),
      responses: { 200: page(deliveryAnswer), ...listDeliveries.errors },
      metadata: listDeliveries.metadata,
    },
    resendDelivery: {
      method: resendDelivery.method,
      path: '/api/admin/webhooks/:id/deliveries/:deliveryId/resend',
      summary: 'Send a delivery again',
      description:
        'Sends it now, with the same id and body and the present secret, even if the webhook is disabled. One that is ' +
        'settled gets four attempts afresh; one that waits is brought forward; one that is being sent is left alone.',
      pathParams: pathOfOne.extend({ deliveryId }),
      query: noQuery,
      body: noBody,
      responses: { 202: deliveryAnswer, ...resendDelivery.errors },
      metadata: resendDelivery.metadata,
    },
  },
  { strictStatusCodes: true },
);
