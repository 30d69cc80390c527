import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import { isLogFailure } from './continuity.rules.js';
import { firstState, type TickState } from './health.rules.js';

interface TickStateDocument extends TickState {
  _id: 'publisher';
}

/** The state that ticks record for the next tick and for health, in one document. */
export interface TickStore {
  read(session?: ClientSession): Promise<TickState>;
  save(session: ClientSession, state: TickState): Promise<void>;
  /** Records an attempt under which entries may be stored and that no batch names yet. */
  noteAttempt(session: ClientSession, attempt: string): Promise<void>;
  /** Clears the attempt: a batch names it now, or its entries are removed. */
  forgetAttempt(session: ClientSession): Promise<void>;
  /** Stores the identity of the log, which is known to be complete. */
  noteLog(session: ClientSession, identity: string | null): Promise<void>;
  /** Whether the last tick published nothing because the log may lack batches that others have. */
  isLogHeld(): Promise<boolean>;
}

const stateSchema = new Schema<TickStateDocument>(
  {
    _id: { type: String, required: true },
    running: { type: Schema.Types.Mixed, default: null },
    lastTick: { type: Schema.Types.Mixed, default: null },
    consecutiveFailures: { type: Number, required: true },
    attempt: { type: String, default: null },
    log: { type: String, default: null },
  },
  { collection: 'publisher_state', versionKey: false, minimize: false },
);

const _id = 'publisher';

export function createTickStore(connection: Connection): TickStore {
  const model = defineModel(connection, 'PublisherState', stateSchema);

  const store: TickStore = {
    async read(session) {
      const found = await model
        .findById(_id)
        .session(session ?? null)
        .lean<TickStateDocument>();
      if (found === null) return firstState;
      const { _id: _one, ...state } = found;
      // Before the first tick, the document may hold only what restoring the log has stored.
      return { ...firstState, ...state };
    },

    async save(session, state) {
      await model.updateOne({ _id }, { $set: state }, { session, upsert: true });
    },

    async noteAttempt(session, attempt) {
      await model.updateOne({ _id }, { $set: { attempt } }, { session, upsert: true });
    },

    async forgetAttempt(session) {
      await model.updateOne({ _id }, { $set: { attempt: null } }, { session });
    },

    async noteLog(session, identity) {
      await model.updateOne({ _id }, { $set: { log: identity } }, { session, upsert: true });
    },

    isLogHeld: async () => isLogFailure((await store.read()).lastTick?.failure ?? null),
  };
  return store;
}
