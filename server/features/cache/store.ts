import { type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';

/** One counter a scope and corridor; `*` stands for every corridor. Counters only grow. */
export interface EpochRow {
  /** `rates:usdc-ngn`, `all:*` */
  _id: string;
  epoch: number;
}

const epochSchema = new Schema<EpochRow>(
  { _id: { type: String, required: true }, epoch: { type: Number, required: true } },
  { collection: 'cache_epochs', versionKey: false },
);

export function epochModel(connection: Connection) {
  return defineModel(connection, 'CacheEpoch', epochSchema);
}

/** Counts one up and returns the new value, once a majority has it. */
export async function bumpEpoch(model: ReturnType<typeof epochModel>, id: string): Promise<number> {
  const row = await model
    .findOneAndUpdate({ _id: id }, { $inc: { epoch: 1 } }, { upsert: true, returnDocument: 'after' })
    .lean();
  return row?.epoch ?? 1;
}

/** Every counter: scopes times corridors at most, a few hundred tiny rows. */
export async function readEpochs(model: ReturnType<typeof epochModel>): Promise<EpochRow[]> {
  return model.find({}).lean<EpochRow[]>();
}
