import { eventExamples } from '../../contract/examples/events.js';
import type { EventName } from '../../contract/schemas/events.js';
import {
  type DeliveryAnswer,
  type DeliveryState,
  maxResent,
  type ResentDeliveries,
} from '../../contract/schemas/webhooks.js';
import { ApiError } from '../errors.js';
import { type PageQuery, readCursor, readLimit, toPage } from '../paging.js';
import { type Clock, type NewId, toInstant } from '../ports.js';
import { bodyOf, type DeliveryDocument, newDelivery, shownState, timedId } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import { findWebhook } from './service.js';
import type { WebhookStore } from './webhook-store.js';

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

const idPattern = /^dlv_[0-9a-f]{44}$/;

/** The results of deliveries, and the deliveries that an admin triggers. Unknown ids throw UNKNOWN_WEBHOOK. */
export function createDeliveryLog(deps: {
  webhooks: Pick<WebhookStore, 'find'>;
  deliveries: Pick<DeliveryStore, 'add' | 'page' | 'sendAgain' | 'sendFailedAgain'>;
  /** Called when there is something to send. */
  wakeWorker: () => void;
  clock: Clock;
  newId: NewId;
}) {
  const { webhooks, deliveries, wakeWorker, clock, newId } = deps;

  return {
    async list(
      webhookId: string,
      { state, limit: asked, cursor }: PageQuery & { state?: DeliveryState | undefined },
    ) {
      const { enabled } = await findWebhook(webhooks, webhookId);
      const limit = readLimit(asked);
      const listName = ['deliveries', webhookId, state ?? 'all'];
      const before = readCursor(cursor, listName, [idPattern])?.[0];
      const found = await deliveries.page(webhookId, enabled, state, before, limit + 1);
      const answers = found.map((delivery) => toDeliveryAnswer(delivery, enabled));
      return toPage(answers, limit, listName, ({ id }) => [id]);
    },

    /** Sends made-up data at once, also to a webhook that is disabled. */
    async sendTest(webhookId: string, asked: EventName | undefined): Promise<DeliveryAnswer> {
      const { enabled, events } = await findWebhook(webhooks, webhookId);
      const name = asked ?? events[0] ?? 'intent.settled';
      const now = new Date(clock());
      const id = timedId('dlv', now.getTime(), newId());
      const event = { _id: `evt_test${newId()}`, event: name, createdAt: now, data: eventExamples[name] };
      const delivery = newDelivery({ id, webhookId, event, body: bodyOf(event), test: true, now });
      await deliveries.add([delivery]);
      wakeWorker();
      return toDeliveryAnswer(delivery, enabled);
    },

    /** Sends a delivery again at once, also to a webhook that is disabled. */
    async resend(webhookId: string, deliveryId: string): Promise<DeliveryAnswer> {
      const { enabled } = await findWebhook(webhooks, webhookId);
      const delivery = await deliveries.sendAgain(webhookId, deliveryId, clock());
      if (delivery === null) {
        throw new ApiError('UNKNOWN_WEBHOOK', 'This webhook has no delivery with this id.');
      }
      wakeWorker();
      return toDeliveryAnswer(delivery, enabled);
    },

    /** Sends again what was refused or exhausted since `since`; none twice for the same `since`. */
    async resendFailed(webhookId: string, since: Date): Promise<ResentDeliveries> {
      await findWebhook(webhooks, webhookId);
      const sent = await deliveries.sendFailedAgain(webhookId, since, maxResent, clock());
      wakeWorker();
      return sent;
    },
  };
}

/** `enabled`: whether the webhook of the delivery is enabled. */
function toDeliveryAnswer(delivery: DeliveryDocument, enabled: boolean): DeliveryAnswer {
  const { _id: id, webhookId, eventId, event, test, createdAt, owner, due, settledAt, body } = delivery;
  const state = shownState(delivery, enabled);
  return {
    id,
    webhookId,
    eventId,
    event,
    test,
    state,
    createdAt: toInstant(createdAt),
    nextAttemptAt: state === 'pending' && owner === null ? toInstant(due) : null,
    settledAt: settledAt && toInstant(settledAt),
    body,
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ ...attempt, at: toInstant(at) })),
  };
}
