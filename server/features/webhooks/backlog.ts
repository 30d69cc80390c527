import type { Connection } from 'mongoose';
import { countUpTo } from '../../mongo/models.js';
import { lanesDue } from './lanes-due.js';
import { outboxModel } from './outbox.js';
import { deliveryModel, readLane, webhookModel } from './store.js';

/** What waits on its way to webhooks; each counts 100,000 at most. */
export interface WebhookBacklog {
  /** Events that no dispatcher has made deliveries of yet. */
  openWebhookEvents(): Promise<number>;
  /** Deliveries that have not come to their end, those held for a disabled webhook included. */
  openWebhookDeliveries(): Promise<number>;
  /** Deliveries that could be sent now: due, claimed by nobody, and not held. */
  dueWebhookDeliveries(): Promise<number>;
}

export function createWebhookBacklog(connection: Connection): WebhookBacklog {
  const outbox = outboxModel(connection);
  const webhooks = webhookModel(connection);
  const deliveries = deliveryModel(connection);

  return {
    // `open` is no part of this index, only its condition: without the hint all events would be read.
    openWebhookEvents: () => countUpTo(outbox, { open: true }, 'open_by_age'),
    openWebhookDeliveries: () => countUpTo(deliveries, { open: true }, 'work_by_lane'),
    async dueWebhookDeliveries() {
      const lanes = await lanesDue(deliveries);
      const now = lanes[0]?.now;
      if (now === undefined) return 0;
      const webhookIds = lanes.map(({ _id }) => readLane(_id).webhookId);
      const enabled = await webhooks.find({ _id: { $in: webhookIds }, enabled: true }, { _id: 1 }).lean();
      const sendable = new Set(enabled.map(({ _id }) => _id));
      const ids = lanes
        .map(({ _id }) => ({ lane: _id, ...readLane(_id) }))
        .filter(({ byAdmin, webhookId }) => byAdmin || sendable.has(webhookId))
        .map(({ lane }) => lane);
      // A plain time, for one that the database is to work out is compared document by document.
      return countUpTo(deliveries, { open: true, lane: { $in: ids }, due: { $lte: now } }, 'work_by_lane');
    },
  };
}
