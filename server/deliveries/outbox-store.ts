import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import type { EventData, EventName } from '../../contract/schemas/events.js';
import { createWaker, type Waker } from '../mongo/change-streams.js';
import { countUpTo, defineModel } from '../mongo/models.js';
import type { Logger } from '../ports.js';

/** An event as its cause wrote it. `open` until deliveries have been made of it. */
export interface OutboxDocument {
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

/** Every query of the collection `outbox`. */
export interface OutboxStore {
  /** Adds an open event in the transaction of its cause. */
  add(session: ClientSession, event: Omit<OutboxDocument, 'open' | 'expiresAt'>): Promise<void>;
  /** The oldest open events, with the time of the database beside each. */
  openEvents(limit: number): Promise<(OutboxDocument & { now: Date })[]>;
  close(ids: readonly string[], expiresAt: Date): Promise<void>;
  /** Events of which no deliveries have been made yet; 100,000 at most. */
  countOpen(): Promise<number>;
  /** Calls `wake` when an event was committed. */
  watch(wake: () => void, logger: Logger): Waker;
}

const outboxSchema = new Schema<OutboxDocument>(
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

export function createOutboxStore(connection: Connection): OutboxStore {
  const outbox = defineModel(connection, 'Outbox', outboxSchema);
  // Bypasses mongoose, which would check and convert every id of many.
  const events = outbox.collection as unknown as mongo.Collection<OutboxDocument>;
  return {
    async add(session, event) {
      await outbox.create([{ ...event, open: true }], { session });
    },

    openEvents: (limit) =>
      events
        .aggregate<OutboxDocument & { now: Date }>([
          { $match: { open: true } },
          { $sort: { createdAt: 1 } },
          { $limit: limit },
          { $set: { now: '$$NOW' } },
        ])
        .toArray(),

    async close(ids, expiresAt) {
      // With the hint, no other index is considered.
      await events.updateMany(
        { _id: { $in: [...ids] }, open: true },
        { $set: { open: false, expiresAt } },
        { hint: { _id: 1 } },
      );
    },

    // `open` is the condition of this index and not a part of it: without the hint all events would be read.
    countOpen: () => countUpTo(outbox, { open: true }, 'open_by_age'),

    watch: (wake, logger) =>
      createWaker({
        model: outbox,
        pipeline: [{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }],
        wake,
        logger,
      }),
  };
}
