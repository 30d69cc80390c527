import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { EventData, EventName } from '../../../contract/schemas/events.js';
import { defineModel } from '../../mongo/models.js';
import type { Clock, NewId } from '../../ports.js';
import { webhookModel } from './store.js';

/** An event as its cause wrote it. `open` until the dispatcher has fanned it out to the subscribed webhooks. */
export interface OutboxRow {
  _id: string;
  event: EventName;
  createdAt: Date;
  data: EventData<EventName>;
  /** The webhooks subscribed to it when its cause was committed, as that transaction saw them. */
  subscribers: string[];
  open: boolean;
  /** When it is deleted; absent while it is open. */
  expiresAt?: Date;
}

const outboxSchema = new Schema<OutboxRow>(
  {
    _id: { type: String, required: true },
    event: { type: String, required: true },
    createdAt: { type: Date, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    subscribers: { type: [String], required: true },
    open: { type: Boolean, required: true },
    expiresAt: Date,
  },
  { collection: 'outbox', versionKey: false },
);
outboxSchema.index({ createdAt: 1 }, { partialFilterExpression: { open: true }, name: 'open_by_age' });
outboxSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export function outboxModel(connection: Connection) {
  return defineModel(connection, 'Outbox', outboxSchema);
}

export type OutboxModel = ReturnType<typeof outboxModel>;

/** Writes an event in the transaction of its cause: both are committed or neither is. Returns the event id. */
export type WriteEvent = <N extends EventName>(
  session: ClientSession,
  event: N,
  data: EventData<N>,
) => Promise<string>;

/**
 * Who gets the event is settled here, by the snapshot of the transaction, and not later by comparing times of several
 * clocks: a webhook whose registration was answered before the cause began is in it, one registered after the commit is
 * not. Fanning out is then the same whenever, wherever and however often it is done.
 */
export function createWriteEvent(deps: { connection: Connection; clock: Clock; newId: NewId }): WriteEvent {
  const outbox = outboxModel(deps.connection);
  const webhooks = webhookModel(deps.connection);
  return async (session, event, data) => {
    const id = `evt_${deps.newId()}`;
    const subscribed = await webhooks.find({ events: event }, { _id: 1 }, { session }).lean();
    const subscribers = subscribed.map(({ _id }) => _id);
    await outbox.create(
      [{ _id: id, event, data, createdAt: new Date(deps.clock()), subscribers, open: true }],
      {
        session,
      },
    );
    return id;
  };
}
