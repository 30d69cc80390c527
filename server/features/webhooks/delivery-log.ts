import { eventExamples } from '../../../contract/examples/events.js';
import type { EventName } from '../../../contract/schemas/events.js';
import type { DeliveryAnswer, DeliveryState } from '../../../contract/schemas/webhooks.js';
import { ApiError } from '../../errors.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, NewId } from '../../ports.js';
import { attemptsGranted } from './delivery-state.rules.js';
import { newDelivery, retentionMs, timedId } from './new-delivery.rules.js';
import type { Present } from './present.js';
import { unknownWebhook } from './service.js';
import { type DeliveryModel, type DeliveryRow, laneOf, type WebhookModel, type WebhookRow } from './store.js';
import { toDeliveryAnswer } from './webhook-answer.rules.js';

/** What became of deliveries, and what an admin sends. Unknown ids throw UNKNOWN_WEBHOOK. */
export interface DeliveryLog {
  list(
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<{ items: DeliveryAnswer[]; nextCursor: string | null }>;
  sendTest(webhookId: string, event: EventName | undefined): Promise<DeliveryAnswer>;
  resend(webhookId: string, deliveryId: string): Promise<DeliveryAnswer>;
}

interface DeliveryQuery {
  state?: DeliveryState | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

const idPattern = /^dlv_[0-9a-f]{44}$/;
const storedStates: DeliveryRow['state'][] = ['pending', 'delivered', 'refused', 'exhausted'];

export function createDeliveryLog(deps: {
  webhooks: WebhookModel;
  deliveries: DeliveryModel;
  present: Present;
  wake: () => void;
  clock: Clock;
  newId: NewId;
}): DeliveryLog {
  const { webhooks, deliveries, present, wake, clock, newId } = deps;

  async function findWebhook(id: string): Promise<WebhookRow> {
    const row = await webhooks.findById(id).lean<WebhookRow>();
    if (row === null) throw unknownWebhook();
    return row;
  }

  return {
    async list(webhookId, { state, limit: asked, cursor }) {
      const { enabled } = await findWebhook(webhookId);
      const limit = readLimit(asked);
      const listName = ['deliveries', webhookId, state ?? 'all'];
      const before = readCursor(cursor, listName, [idPattern])?.[0];
      const rows = await deliveries
        .find({
          webhookId,
          ...inState(webhookId, state, enabled),
          ...(before === undefined ? {} : { _id: { $lt: before } }),
        })
        .sort({ _id: -1 })
        .limit(limit + 1)
        .lean<DeliveryRow[]>();
      return toPage(
        rows.map((row) => toDeliveryAnswer(row, enabled)),
        limit,
        listName,
        ({ id }) => [id],
      );
    },

    async sendTest(webhookId, asked) {
      const { enabled, events } = await findWebhook(webhookId);
      const event = asked ?? events[0] ?? 'intent.settled';
      const nowMs = clock();
      const row = newDelivery({
        id: timedId('dlv', nowMs, newId()),
        webhookId,
        lane: laneOf(webhookId, true),
        test: true,
        event: {
          id: `evt_test${newId()}`,
          event,
          createdAt: new Date(nowMs),
          data: eventExamples[event],
        },
        nowMs,
        due: new Date(nowMs),
      });
      await deliveries.create(row);
      wake();
      return toDeliveryAnswer(row, enabled);
    },

    async resend(webhookId, deliveryId) {
      const { enabled } = await findWebhook(webhookId);
      const row = await deliveries
        .findOneAndUpdate(
          { _id: deliveryId, webhookId },
          [{ $set: sentAgain(webhookId, clock(), present()) }],
          {
            returnDocument: 'after',
          },
        )
        .lean<DeliveryRow>();
      if (row === null) throw new ApiError('UNKNOWN_WEBHOOK', 'This webhook has no delivery with this id.');
      wake();
      return toDeliveryAnswer(row, enabled);
    },
  };
}

/** Pending and held are one stored state, told apart by the webhook and by who sent it. */
function inState(webhookId: string, state: DeliveryState | undefined, enabled: boolean): object {
  const own = laneOf(webhookId, false);
  if (state === undefined) return { state: { $in: storedStates } };
  if (state === 'held') return { state: 'pending', lane: enabled ? '' : own };
  if (state === 'pending' && !enabled) return { state, lane: { $ne: own } };
  return { state };
}

/** Settled: four attempts afresh. Waiting: now. Being sent: as it is, but that its retries, too, are ours now. */
function sentAgain(webhookId: string, nowMs: number, now: '$$NOW' | Date): Record<string, unknown> {
  const granted = { $add: ['$attempt', attemptsGranted] };
  const beingSent = { $ne: ['$owner', null] };
  return {
    lastAttempt: { $cond: ['$open', '$lastAttempt', granted] },
    state: 'pending',
    open: true,
    settledAt: null,
    lane: laneOf(webhookId, true),
    due: { $cond: [beingSent, '$due', now] },
    expiresAt: new Date(nowMs + retentionMs),
  };
}
