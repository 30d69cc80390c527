import { eventExamples } from '../../../contract/examples/events.js';
import type { EventName } from '../../../contract/schemas/events.js';
import {
  type DeliveryAnswer,
  type DeliveryState,
  maxResent,
  type ResentDeliveries,
} from '../../../contract/schemas/webhooks.js';
import type { Deliveries, DeliveryDocument } from '../../deliveries/deliveries.js';
import { shownState } from '../../deliveries/delivery.rules.js';
import { ApiError } from '../../errors.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { toInstant } from '../../ports.js';
import { unknownWebhook } from './service.js';
import type { WebhookDocument, WebhookStore } from './store.js';

/** The results of deliveries, and the deliveries that an admin triggers. Unknown ids throw UNKNOWN_WEBHOOK. */
export interface DeliveryLog {
  list(
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<{ items: DeliveryAnswer[]; nextCursor: string | null }>;
  sendTest(webhookId: string, event: EventName | undefined): Promise<DeliveryAnswer>;
  resend(webhookId: string, deliveryId: string): Promise<DeliveryAnswer>;
  /** Sends again what was refused or exhausted since `since`. */
  resendFailed(webhookId: string, since: Date): Promise<ResentDeliveries>;
}

interface DeliveryQuery {
  state?: DeliveryState | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

const idPattern = /^dlv_[0-9a-f]{44}$/;

export function createDeliveryLog(deps: {
  store: Pick<WebhookStore, 'find'>;
  deliveries: Pick<Deliveries['log'], 'page' | 'sendTest' | 'sendAgain' | 'sendFailedAgain'>;
}): DeliveryLog {
  const { store, deliveries } = deps;

  async function findWebhook(id: string): Promise<WebhookDocument> {
    const webhook = await store.find(id);
    if (webhook === null) throw unknownWebhook();
    return webhook;
  }

  return {
    async list(webhookId, { state, limit: asked, cursor }) {
      const { enabled } = await findWebhook(webhookId);
      const limit = readLimit(asked);
      const listName = ['deliveries', webhookId, state ?? 'all'];
      const before = readCursor(cursor, listName, [idPattern])?.[0];
      const found = await deliveries.page({ webhookId, enabled, state, before, limit: limit + 1 });
      const answers = found.map((delivery) => toDeliveryAnswer(delivery, enabled));
      return toPage(answers, limit, listName, ({ id }) => [id]);
    },

    async sendTest(webhookId, asked) {
      const { enabled, events } = await findWebhook(webhookId);
      const event = asked ?? events[0] ?? 'intent.settled';
      return toDeliveryAnswer(await deliveries.sendTest(webhookId, event, eventExamples[event]), enabled);
    },

    async resend(webhookId, deliveryId) {
      const { enabled } = await findWebhook(webhookId);
      const delivery = await deliveries.sendAgain(webhookId, deliveryId);
      if (delivery === null) {
        throw new ApiError('UNKNOWN_WEBHOOK', 'This webhook has no delivery with this id.');
      }
      return toDeliveryAnswer(delivery, enabled);
    },

    async resendFailed(webhookId, since) {
      await findWebhook(webhookId);
      return deliveries.sendFailedAgain(webhookId, since, maxResent);
    },
  };
}

/** `enabled`: whether the webhook of the delivery is enabled. */
function toDeliveryAnswer(delivery: DeliveryDocument, enabled: boolean): DeliveryAnswer {
  const state = shownState(delivery, enabled);
  return {
    id: delivery._id,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    event: delivery.event,
    test: delivery.test,
    state,
    createdAt: toInstant(delivery.createdAt),
    nextAttemptAt: state === 'pending' && delivery.owner === null ? toInstant(delivery.due) : null,
    settledAt: delivery.settledAt ? toInstant(delivery.settledAt) : null,
    body: delivery.body,
    attempts: delivery.attempts.map(
      ({ attempt, at, outcome, status, elapsedMs, answer, signedWith = null }) => ({
        attempt,
        at: toInstant(at),
        outcome,
        status,
        elapsedMs,
        answer,
        signedWith,
      }),
    ),
  };
}
