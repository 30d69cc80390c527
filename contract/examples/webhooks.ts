import type { adminCacheContract } from '../endpoints/cache.js';
import type { webhooksContract } from '../endpoints/webhooks.js';
import type { DeliveryAnswer, WebhookAnswer } from '../schemas/webhooks.js';
import { eventExamples } from './events.js';
import type { ExamplesOf } from './examples-of.js';

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
      signedWith: 'present',
    },
  ],
} satisfies DeliveryAnswer;

const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const params = { id: exampleWebhook.id };

export const webhooksExamples: ExamplesOf<typeof webhooksContract> = {
  createWebhook: {
    body: {
      // "Try it out" on the documentation page sends this as it is. It must not register anything, so its address is
      // one of those kept for documentation (RFC 5737), which is refused.
      url: 'https://192.0.2.1/fairlead',
      events: ['intent.settled', 'intent.failed'],
      secret: exampleSecret,
    },
    answer: exampleWebhook,
  },
  listWebhooks: { answer: { items: [exampleWebhook], nextCursor: null } },
  getWebhook: { params, answer: exampleWebhook },
  updateWebhook: {
    params,
    body: { enabled: false },
    answer: {
      ...exampleWebhook,
      enabled: false,
      disabled: { reason: 'admin', status: null, at: '2026-11-21T10:00:00.000Z' },
      updatedAt: '2026-11-21T10:00:00.000Z',
    },
  },
  deleteWebhook: { params, answer: { id: exampleWebhook.id, deletedAt: '2026-11-21T10:00:00.000Z' } },
  rotateWebhookSecret: {
    params,
    body: { secret: exampleSecret },
    answer: {
      ...exampleWebhook,
      secretChangedAt: '2026-11-21T10:00:00.000Z',
      overlapEndsAt: '2026-11-22T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    },
  },
  testWebhook: {
    params,
    body: { event: 'intent.settled' },
    answer: { ...exampleDelivery, eventId: 'evt_test9f86d081884c7d659a2feaa0c55ad015', test: true },
  },
  listDeliveries: {
    params,
    query: { state: 'pending' },
    answer: { items: [exampleDelivery], nextCursor: null },
  },
  resendDelivery: { params: { ...params, deliveryId: exampleDelivery.id }, answer: exampleDelivery },
  resendFailedDeliveries: {
    params,
    body: { since: '2026-11-21T08:00:00.000Z' },
    answer: { resent: 37, more: false },
  },
};

export const adminCacheExamples: ExamplesOf<typeof adminCacheContract> = {
  invalidateCache: {
    body: { scope: 'rates', corridor: 'usdc-ngn' },
    answer: {
      scope: 'rates',
      corridor: 'usdc-ngn',
      epoch: 4,
      droppedEntries: 12,
      invalidatedAt: '2026-11-21T09:30:00.000Z',
    },
  },
};
