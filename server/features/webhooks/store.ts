import { type Connection, Schema } from 'mongoose';
import type { EventName } from '../../../contract/schemas/events.js';
import type { DeliveryAttempt, DeliveryState, WebhookAnswer } from '../../../contract/schemas/webhooks.js';
import { defineModel } from '../../mongo/models.js';
import type { StoredSecret } from './secrets.rules.js';

/** A webhook as stored. */
export interface WebhookRow {
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

/** One event on its way to one webhook. Its id, event id and body never change. */
export interface DeliveryRow {
  _id: string;
  webhookId: string;
  eventId: string;
  event: EventName;
  test: boolean;
  body: string;
  /** `held` is not stored: it is pending with a webhook that is disabled. */
  state: Exclude<DeliveryState, 'held'>;
  /** Whether it is work: exactly while it is pending. */
  open: boolean;
  /** The queue it stands in; see `laneOf`. */
  lane: string;
  /** The next attempt or, while it is claimed, the end of the claim. */
  due: Date;
  /** Who has claimed it, by a token of this very claim. */
  owner: string | null;
  claimedAt: Date | null;
  /** Attempts counted so far; a claim counts its attempt before it is made. */
  attempt: number;
  /** The last attempt granted. */
  lastAttempt: number;
  attempts: AttemptRow[];
  createdAt: Date;
  settledAt: Date | null;
  expiresAt: Date;
}

export type AttemptRow = Omit<DeliveryAttempt, 'at'> & { at: Date };

/**
 * Every webhook has two queues: what events bring waits while it is disabled, what an admin sends (tests, re-sending)
 * goes at once, behind no backlog.
 */
export function laneOf(webhookId: string, byAdmin: boolean): string {
  return byAdmin ? `${webhookId}!` : webhookId;
}

export function readLane(lane: string): { webhookId: string; byAdmin: boolean } {
  return { webhookId: lane.replace(/!$/, ''), byAdmin: lane.endsWith('!') };
}

const storedSecretSchema = new Schema<StoredSecret>(
  {
    sealed: { type: String, required: true },
    since: { type: Date, required: true },
    until: { type: Date, default: null },
  },
  { _id: false },
);

const webhookSchema = new Schema<WebhookRow>(
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

const deliverySchema = new Schema<DeliveryRow>(
  {
    _id: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    event: { type: String, required: true },
    test: { type: Boolean, required: true },
    body: { type: String, required: true },
    state: { type: String, required: true },
    open: { type: Boolean, required: true },
    lane: { type: String, required: true },
    due: { type: Date, required: true },
    owner: { type: String, default: null },
    claimedAt: { type: Date, default: null },
    attempt: { type: Number, required: true },
    lastAttempt: { type: Number, required: true },
    attempts: { type: [Schema.Types.Mixed] as never, required: true },
    createdAt: { type: Date, required: true },
    settledAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'deliveries', versionKey: false },
);
deliverySchema.index({ eventId: 1, webhookId: 1 }, { unique: true, name: 'one_a_webhook' });
// Settled rows leave it, so what is listed and claimed from is only ever work.
deliverySchema.index(
  { open: 1, lane: 1, due: 1 },
  { partialFilterExpression: { open: true }, name: 'work_by_lane' },
);
// Without a state it is read as all of them, merged in order.
deliverySchema.index({ webhookId: 1, state: 1, _id: -1 }, { name: 'by_state' });
deliverySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export function webhookModel(connection: Connection) {
  return defineModel(connection, 'Webhook', webhookSchema);
}

export function deliveryModel(connection: Connection) {
  return defineModel(connection, 'Delivery', deliverySchema);
}

export type WebhookModel = ReturnType<typeof webhookModel>;
export type DeliveryModel = ReturnType<typeof deliveryModel>;
