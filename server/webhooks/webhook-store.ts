import type { ClientSession, Connection } from 'mongoose';
import type { EventName } from '../../contract/schemas/events.js';
import type { WebhookAnswer } from '../../contract/schemas/webhooks.js';
import { defineModel, typedSchema } from '../mongo/models.js';

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
  const webhooks = defineModel(connection, 'Webhook', webhookSchema);

  return {
    async add(webhook: WebhookDocument): Promise<void> {
      await webhooks.create(webhook);
    },

    find: (id: string, session: ClientSession | null = null) =>
      webhooks.findById(id).session(session).lean<WebhookDocument>().exec(),

    /** Those of these webhooks that are not deleted. */
    findMany: (ids: readonly string[]): Promise<WebhookDocument[]> =>
      ids.length === 0
        ? Promise.resolve([])
        : webhooks
            .find({ _id: { $in: ids } })
            .lean<WebhookDocument[]>()
            .exec(),

    /** A page in the order of registration; with `after`, it starts after that id. */
    page: (after: string | undefined, limit: number) =>
      webhooks
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<WebhookDocument[]>()
        .exec(),

    /** The webhooks that are subscribed to any of these events, disabled ones included. */
    subscribersOf: (events: readonly EventName[]) =>
      webhooks
        .find({ events: { $in: [...events] } }, { events: 1 })
        .lean<Pick<WebhookDocument, '_id' | 'events'>[]>()
        .exec(),

    /** The webhooks among these that are enabled. */
    async enabledAmong(ids: string[]): Promise<string[]> {
      const found = await webhooks.find({ _id: { $in: ids }, enabled: true }, { _id: 1 }).lean();
      return found.map(({ _id }) => _id);
    },

    /** A change by an admin, in the transaction that has read the webhook. */
    change: (session: ClientSession, _id: string, changes: Partial<WebhookDocument>) =>
      webhooks
        .findOneAndUpdate(
          { _id },
          { $set: changes, $inc: { revision: 1 } },
          { session, returnDocument: 'after' },
        )
        .orFail()
        .lean<WebhookDocument>(),

    /** Disables a webhook after a refusal, unless an admin has changed it since `revision`. Returns whether it did. */
    async disable(id: string, revision: number, status: number | null, at: Date): Promise<boolean> {
      const result = await webhooks.updateOne(
        { _id: id, revision, enabled: true },
        { $set: { enabled: false, disabled: { reason: 'refused', status, at }, updatedAt: at } },
      );
      return result.modifiedCount === 1;
    },

    /** Disables every webhook as an admin would; returns all that an admin disabled, now or before. */
    async disableAll(at: Date): Promise<WebhookDocument[]> {
      const disabled = {
        enabled: false,
        disabled: { reason: 'admin', status: null, at },
        updatedAt: at,
      } as const;
      await webhooks.updateMany({ enabled: true }, { $set: disabled, $inc: { revision: 1 } });
      const byAdmin = { enabled: false, 'disabled.reason': 'admin' };
      return webhooks.find(byAdmin).sort({ _id: 1 }).lean<WebhookDocument[]>();
    },

    /** Returns false if there is no such webhook. */
    async remove(id: string): Promise<boolean> {
      const result = await webhooks.deleteOne({ _id: id });
      return result.deletedCount === 1;
    },
  };
}
