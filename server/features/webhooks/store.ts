import { type ClientSession, type Connection, type RootFilterQuery, Schema } from 'mongoose';
import type { EventName } from '../../../contract/schemas/events.js';
import type { WebhookAnswer } from '../../../contract/schemas/webhooks.js';
import { defineModel } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/refused-writes.js';
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

/** Every query of the collection `webhooks`. */
export interface WebhookStore {
  add(webhook: WebhookDocument): Promise<void>;
  find(id: string): Promise<WebhookDocument | null>;
  /** The webhook that has just refused a change; `find` could return what it was before. */
  findCurrent(id: string): Promise<WebhookDocument | null>;
  /** A page in the order of registration; with `after`, it starts after that id. */
  page(after: string | undefined, limit: number): Promise<WebhookDocument[]>;
  /** The webhooks that are subscribed to an event, as this transaction sees them. */
  subscribersOf(session: ClientSession, event: EventName): Promise<string[]>;
  /** The webhooks among these that are not deleted. */
  knownAmong(ids: string[]): Promise<string[]>;
  /** The webhooks among these that are enabled. */
  enabledAmong(ids: string[]): Promise<string[]>;
  /** Null if another change came first; the caller must then read the webhook again. */
  change(read: WebhookDocument, changes: Partial<WebhookDocument>): Promise<WebhookDocument | null>;
  /** Disables a webhook after a refusal, unless an admin has changed it since `revision`. Returns whether it did. */
  disable(id: string, revision: number, status: number | null, at: Date): Promise<boolean>;
  /** The webhooks that an admin or `disableAll` disabled. */
  disabledByAdmin(): Promise<Pick<WebhookDocument, '_id' | 'url' | 'createdAt' | 'disabled'>[]>;
  /** Disables every webhook as an admin would; returns those that were enabled. */
  disableAll(at: Date): Promise<Pick<WebhookDocument, '_id' | 'url' | 'createdAt'>[]>;
  /** Returns false if there is no such webhook. */
  remove(id: string): Promise<boolean>;
  /** Every webhook, one by one. */
  all(): AsyncIterable<WebhookDocument>;
  /** Stores the same secrets in another form, unless an admin has changed the webhook meanwhile. */
  resealSecrets(read: WebhookDocument, secrets: StoredSecret[]): Promise<boolean>;
}

const storedSecretSchema = new Schema<StoredSecret>(
  {
    sealed: { type: String, required: true },
    since: { type: Date, required: true },
    until: { type: Date, default: null },
  },
  { _id: false },
);

const webhookSchema = new Schema<WebhookDocument>(
  {
    _id: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    enabled: { type: Boolean, required: true },
    disabled: { type: Schema.Types.Mixed, default: null },
    secrets: { type: [storedSecretSchema], required: true },
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'webhooks', versionKey: false },
);

export function createWebhookStore(connection: Connection): WebhookStore {
  const webhooks = defineModel(connection, 'Webhook', webhookSchema);
  async function idsOf(
    filter: RootFilterQuery<WebhookDocument>,
    session: ClientSession | null = null,
  ): Promise<string[]> {
    const found = await webhooks.find(filter, { _id: 1 }, { session }).lean();
    return found.map(({ _id }) => _id);
  }

  return {
    async add(webhook) {
      await webhooks.create(webhook);
    },

    find: (id) => webhooks.findById(id).lean<WebhookDocument>().exec(),
    findCurrent: (_id) => findCurrent(webhooks, { _id }),

    page: (after, limit) =>
      webhooks
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<WebhookDocument[]>()
        .exec(),

    subscribersOf: (session, event) => idsOf({ events: event }, session),

    knownAmong: (ids) => idsOf({ _id: { $in: ids } }),
    enabledAmong: (ids) => idsOf({ _id: { $in: ids }, enabled: true }),

    change: ({ _id, revision, enabled }, changes) =>
      webhooks
        .findOneAndUpdate(
          { _id, revision, enabled },
          { $set: changes, $inc: { revision: 1 } },
          { returnDocument: 'after' },
        )
        .lean<WebhookDocument>()
        .exec(),

    async disable(id, revision, status, at) {
      const result = await webhooks.updateOne(
        { _id: id, revision, enabled: true },
        { $set: { enabled: false, disabled: { reason: 'refused', status, at }, updatedAt: at } },
      );
      return result.modifiedCount === 1;
    },

    disabledByAdmin: () =>
      webhooks
        .find({ enabled: false, 'disabled.reason': 'admin' }, { url: 1, createdAt: 1, disabled: 1 })
        .sort({ _id: 1 })
        .lean()
        .exec(),

    async disableAll(at) {
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

    async remove(id) {
      const result = await webhooks.deleteOne({ _id: id });
      return result.deletedCount === 1;
    },

    all: () => webhooks.find().lean<WebhookDocument>().cursor(),

    async resealSecrets({ _id, revision }, secrets) {
      const result = await webhooks.updateOne({ _id, revision }, { $set: { secrets } });
      return result.modifiedCount === 1;
    },
  };
}
