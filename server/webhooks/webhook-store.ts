import type { ClientSession, Connection } from 'mongoose';
import type { EventName } from '../../contract/schemas/events.js';
import type { WebhookAnswer } from '../../contract/schemas/webhooks.js';
import { collectionOf, typedSchema } from '../mongo/models.js';

/** A secret of a webhook as stored; the last in the list is the current one and has no end. */
export interface StoredSecret {
  sealed: string;
  since: Date;
  until: Date | null;
}

export interface WebhookDocument {
  _id: string;
  url: string;
  events: EventName[];
  enabled: boolean;
  disabled: {
    reason: NonNullable<WebhookAnswer['disabled']>['reason'];
    status: number | null;
    at: Date;
  } | null;
  secrets: StoredSecret[];
  /** Grows with every change by an admin, so that a refusal of the former address does not disable the new one. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

const webhookSchema = typedSchema<WebhookDocument>('webhooks');

/** Every query of the collection `webhooks`. */
export function createWebhookStore(connection: Connection) {
  const webhooks = collectionOf(connection, 'Webhook', webhookSchema);

  return {
    add: (webhook: WebhookDocument) => webhooks.insertOne(webhook),

    find: (_id: string, session?: ClientSession) => webhooks.findOne({ _id }, session && { session }),

    /** Those of these webhooks that are not deleted. */
    findMany: (ids: readonly string[]) => webhooks.find({ _id: { $in: [...ids] } }).toArray(),

    /** A page in the order of registration; with `after`, it starts after that id. */
    page: (after: string | undefined, limit: number) =>
      webhooks
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** The webhooks that are subscribed to any of these events, disabled ones included. */
    subscribersOf: (events: readonly EventName[]) =>
      webhooks.find({ events: { $in: [...events] } }, { projection: { events: 1 } }).toArray(),

    /** The ids among these of webhooks that are enabled. */
    enabledAmong: (ids: string[]) => webhooks.distinct('_id', { _id: { $in: ids }, enabled: true }),

    /** A change by an admin, in the transaction that has read the webhook. */
    change: (session: ClientSession, _id: string, changes: Partial<WebhookDocument>) =>
      webhooks.findOneAndUpdate(
        { _id },
        { $set: changes, $inc: { revision: 1 } },
        { session, returnDocument: 'after' },
      ),

    /** Disables a webhook after a refusal, unless an admin has changed it since `revision`. Returns whether it did. */
    async disable(_id: string, revision: number, status: number | null, at: Date): Promise<boolean> {
      const disabled = { reason: 'refused', status, at } as const;
      const change = { $set: { enabled: false, disabled, updatedAt: at } };
      return (await webhooks.updateOne({ _id, revision, enabled: true }, change)).modifiedCount === 1;
    },

    /** Disables every webhook as an admin would; returns all that an admin disabled, now or before. */
    async disableAll(at: Date): Promise<WebhookDocument[]> {
      const disabled = { reason: 'admin', status: null, at } as const;
      const change = { $set: { enabled: false, disabled, updatedAt: at }, $inc: { revision: 1 } };
      await webhooks.updateMany({ enabled: true }, change);
      return webhooks.find({ enabled: false, 'disabled.reason': 'admin' }).sort({ _id: 1 }).toArray();
    },

    /** Returns false if there is no such webhook. */
    remove: async (_id: string): Promise<boolean> => (await webhooks.deleteOne({ _id })).deletedCount === 1,
  };
}
