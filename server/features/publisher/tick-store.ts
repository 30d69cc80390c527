import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import { firstState, type TickState } from './health.rules.js';

interface TickStateDocument extends TickState {
  _id: 'publisher';
}

/** The state that ticks record for the next tick and for health, in one document. */
export interface TickStore {
  read(session?: ClientSession): Promise<TickState>;
  save(session: ClientSession, state: TickState): Promise<void>;
}

const stateSchema = new Schema<TickStateDocument>(
  {
    _id: { type: String, required: true },
    running: { type: Schema.Types.Mixed, default: null },
    lastTick: { type: Schema.Types.Mixed, default: null },
    consecutiveFailures: { type: Number, required: true },
    heldSince: { type: Date, default: null },
  },
  { collection: 'publisher_state', versionKey: false, minimize: false },
);

const _id = 'publisher';

export function createTickStore(connection: Connection): TickStore {
  const model = defineModel(connection, 'PublisherState', stateSchema);
  return {
    async read(session) {
      const found = await model
        .findById(_id, { _id: 0 })
        .session(session ?? null)
        .lean<TickState>();
      return found ?? firstState;
    },

    async save(session, state) {
      await model.updateOne({ _id }, { $set: state }, { session, upsert: true });
    },
  };
}
