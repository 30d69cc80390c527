import type { ClientSession, Connection } from 'mongoose';
import type { EventData, EventName } from '../../contract/schemas/events.js';
import { type ChangeStream, watchChanges } from '../mongo/change-streams.js';
import { collectionOf, countUpTo, defineModel, typedSchema } from '../mongo/models.js';
import type { Logger } from '../ports.js';

/** An event as its cause wrote it. */
export interface OutboxDocument {
  _id: string;
  event: EventName;
  createdAt: Date;
  data: EventData<EventName>;
  /** Until deliveries have been made of it. */
  open: boolean;
  /** When it is deleted; absent while it is open. */
  expiresAt?: Date;
}

/** An event, with the time of the database at which it was read. */
export type OpenEvent = OutboxDocument & { now: Date };

export type OutboxStore = ReturnType<typeof createOutboxStore>;

const outboxSchema = typedSchema<OutboxDocument>('outbox');
outboxSchema.index({ createdAt: 1 }, { partialFilterExpression: { open: true }, name: 'open_by_age' });
outboxSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

/** Every query of the collection `outbox`. */
export function createOutboxStore(connection: Connection) {
  const model = defineModel(connection, 'Outbox', outboxSchema);
  const events = collectionOf(connection, 'Outbox', outboxSchema);
  return {
    /** Adds an open event in the transaction of its cause. */
    add: (session: ClientSession, event: OutboxDocument) => events.insertOne(event, { session }),

    /** The oldest open events. */
    openEvents: (limit: number): Promise<OpenEvent[]> =>
      events
        .aggregate<OpenEvent>([
          { $match: { open: true } },
          { $sort: { createdAt: 1 } },
          { $limit: limit },
          { $set: { now: '$$NOW' } },
        ])
        .toArray(),

    async close(ids: readonly string[], expiresAt: Date): Promise<void> {
      // With the hint, no other index is considered.
      await events.updateMany(
        { _id: { $in: [...ids] }, open: true },
        { $set: { open: false, expiresAt } },
        { hint: { _id: 1 } },
      );
    },

    /** Events of which no deliveries have been made yet; 100,000 at most. */
    // `open` is the condition of this index and not a part of it: without the hint all events would be read.
    countOpen: () => countUpTo(model, { open: true }, 'open_by_age'),

    /** Calls `wake` when an event was committed. */
    watch: (wake: () => void, logger: Logger): ChangeStream =>
      watchChanges({
        model,
        pipeline: [{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }],
        onOpen: wake,
        onChange: wake,
        logger,
      }),
  };
}
