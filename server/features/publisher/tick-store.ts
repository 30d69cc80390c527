import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import { firstState, type TickState } from './health.rules.js';

const _id = 'publisher';

const stateSchema = new Schema<TickState & { _id: string }>(
  {
    _id: { type: String, required: true },
    running: { type: Schema.Types.Mixed, default: null },
    lastTick: { type: Schema.Types.Mixed, default: null },
    consecutiveFailures: { type: Number, required: true },
    heldSince: { type: Date, default: null },
  },
  { collection: 'publisher_state', versionKey: false, minimize: false },
);

export type TickStore = ReturnType<typeof createTickStore>;

/** The state that ticks record for the next tick and for health, in one document. */
export function createTickStore(connection: Connection) {
  const model = defineModel(connection, 'PublisherState', stateSchema);
  return {
    async read(session: ClientSession | null = null): Promise<TickState> {
      const found = await model.findById(_id, { _id: 0 }).session(session).lean<TickState>();
      return found ?? firstState;
    },

    async save(session: ClientSession, state: TickState): Promise<void> {
      await model.updateOne({ _id }, { $set: state }, { session, upsert: true });
    },
  };
}
