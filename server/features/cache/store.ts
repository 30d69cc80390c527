import { type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';

/** One counter per scope and corridor, where `*` stands for every corridor. Counters only grow. */
interface CacheVersionDocument {
  /** `rates:usdc-ngn`, `all:*` */
  _id: string;
  /** The stored name of the version. */
  epoch: number;
}

const cacheVersionSchema = new Schema<CacheVersionDocument>(
  { _id: { type: String, required: true }, epoch: { type: Number, required: true } },
  { collection: 'cache_epochs', versionKey: false },
);

/** The counters of the cache versions, which all instances share. */
export interface CacheVersionStore {
  /** Increments a counter and returns the new version, once a majority of the replica set has it. */
  increment(id: string): Promise<number>;
  /**
   * Every counter: at most scopes times corridors, a few hundred small documents. As a majority has them: a version that
   * only a primary without a majority has may be given again, and would then drop nothing.
   */
  list(): Promise<{ id: string; version: number }[]>;
}

export function createCacheVersionStore(connection: Connection): CacheVersionStore {
  const model = defineModel(connection, 'CacheVersion', cacheVersionSchema);
  return {
    async increment(id) {
      const counted = await model
        .findOneAndUpdate({ _id: id }, { $inc: { epoch: 1 } }, { upsert: true, returnDocument: 'after' })
        .lean();
      return counted?.epoch ?? 1;
    },
    async list() {
      const documents = await model.find({}).readConcern('majority').lean<CacheVersionDocument[]>();
      return documents.map(({ _id, epoch }) => ({ id: _id, version: epoch }));
    },
  };
}
