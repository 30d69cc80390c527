import type { ClientSession, Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';

/** How much of a dispute limit is used in its current window. */
export interface DisputeWindowDocument {
  _id: string;
  used: number;
  endsAt: Date;
}

const windowSchema = typedSchema<DisputeWindowDocument>('dispute_windows');
windowSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export type DisputeWindowStore = ReturnType<typeof createDisputeWindowStore>;

/** Every query of the windows in which disputes are counted. */
export function createDisputeWindowStore(connection: Connection) {
  const model = defineModel<DisputeWindowDocument>(connection, 'DisputeWindow', windowSchema);
  return {
    find: (_id: string, session: ClientSession | null = null) =>
      model.findById(_id).session(session).lean<DisputeWindowDocument>(),

    /** Counts one more in this window; where none is running at `now`, a new one ends at `endOfNew`. */
    count(_id: string, now: Date, endOfNew: Date, session: ClientSession) {
      const running = { $gt: ['$endsAt', now] };
      const used = { $cond: [running, { $add: ['$used', 1] }, 1] };
      const endsAt = { $cond: [running, '$endsAt', endOfNew] };
      const options = { upsert: true, returnDocument: 'after', session } as const;
      return model
        .findOneAndUpdate({ _id }, [{ $set: { used, endsAt } }], options)
        .orFail()
        .lean<DisputeWindowDocument>();
    },
  };
}
