import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { EventData, EventName } from '../../../contract/events.js';
import { defineModel } from '../../mongo/models.js';
import type { Clock, NewId } from '../../ports.js';

/** An event as its cause wrote it. `open` until the dispatcher has fanned it out to the subscribed webhooks. */
export interface OutboxRow {
  _id: string;
  event: EventName;
  createdAt: Date;
  data: EventData<EventName>;
  open: boolean;
}

const outboxSchema = new Schema<OutboxRow>(
  {
    _id: { type: String, required: true },
    event: { type: String, required: true },
    createdAt: { type: Date, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    open: { type: Boolean, required: true },
  },
  { collection: 'outbox', versionKey: false },
);
outboxSchema.index({ createdAt: 1 }, { partialFilterExpression: { open: true }, name: 'open_by_age' });

export function outboxModel(connection: Connection) {
  return defineModel(connection, 'Outbox', outboxSchema);
}

/** Writes an event in the transaction of its cause: both are committed or neither is. Returns the event id. */
export type WriteEvent = <N extends EventName>(
  session: ClientSession,
  event: N,
  data: EventData<N>,
) => Promise<string>;

export function createWriteEvent(deps: { connection: Connection; clock: Clock; newId: NewId }): WriteEvent {
  const outbox = outboxModel(deps.connection);
  return async (session, event, data) => {
    const id = `evt_${deps.newId()}`;
    await outbox.create([{ _id: id, event, data, createdAt: new Date(deps.clock()), open: true }], {
      session,
    });
    return id;
  };
}
