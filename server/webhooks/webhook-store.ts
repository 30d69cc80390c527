import type { Connection } from 'mongoose';
import type { EventName } from '../../contract/schemas/events.js';
import type { WebhookAnswer } from '../../contract/schemas/webhooks.js';
import { defineModel, typedSchema } from '../mongo/models.js';
import { findCurrent } from '../mongo/transactions.js';
import type { StoredSecret } from './secrets.js';

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

    find: (id: string) => webhooks.findById(id).lean<WebhookDocument>().exec(),

    /** The webhook that has just refused a change; `find` could return what it was before. */
    findCurrent: (_id: string) => findCurrent(webhooks, { _id }),

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

    /** Null if another change came first; the caller must then read the webhook again. */
    change: ({ _id, revision, enabled }: WebhookDocument, changes: Partial<WebhookDocument>) =>
      webhooks
        .findOneAndUpdate(
          { _id, revision, enabled },
          { $set: changes, $inc: { revision: 1 } },
          { returnDocument: 'after' },
        )
        .lean<WebhookDocument>()
        .exec(),

    /** Disables a webhook after a refusal, unless an admin has changed it since `revision`. Returns whether it did. */
    async disable(id: string, revision: number, status: number | null, at: Date): Promise<boolean> {
      const result = await webhooks.updateOne(
        { _id: id, revision, enabled: true },
        { $set: { enabled: false, disabled: { reason: 'refused', status, at }, updatedAt: at } },
      );
      return result.modifiedCount === 1;
    },

    /** The webhooks that an admin or `disableAll` disabled. */
    disabledByAdmin: () =>
      webhooks
        .find({ enabled: false, 'disabled.reason': 'admin' }, { url: 1, createdAt: 1, disabled: 1 })
        .sort({ _id: 1 })
        .lean<Pick<WebhookDocument, '_id' | 'url' | 'createdAt' | 'disabled'>[]>()
        .exec(),

    /** Disables every webhook as an admin would; returns those that were enabled. */
    async disableAll(at: Date): Promise<Pick<WebhookDocument, '_id' | 'url' | 'createdAt'>[]> {
      const enabled = await webhooks
        .find({ enabled: true }, { url: 1, createdAt: 1 })
        .sort({ _id: 1 })
        .lean();
      await webhooks.updateMany(
        { _id: { $in: enabled.map(({ _id }) => _id) }, enabled: true },
        {
          $set: { enabled: false, disabled: { reason: 'admin', status: null, at }, updatedAt: at },
          $inc: { revision: 1 },
        },
      );
      return enabled;
    },

    /** Returns false if there is no such webhook. */
    async remove(id: string): Promise<boolean> {
      const result = await webhooks.deleteOne({ _id: id });
      return result.deletedCount === 1;
    },
  };
}
