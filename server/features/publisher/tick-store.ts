import type { ClientSession, Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';
import { firstState, type TickState } from './health.rules.js';

const _id = 'publisher';

const stateSchema = typedSchema<TickState & { _id: string }>('publisher_state');

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
