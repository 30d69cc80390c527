import { type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';

/** Both only grow. */
export interface StoredEpoch {
  /** How many operations of operators have changed something. */
  epoch: number;
  /** How many of them emptied the caches. */
  emptied: number;
}

/** The one document. */
interface CacheEpochDocument extends StoredEpoch {
  _id: 'caches';
}

const cacheEpochSchema = new Schema<CacheEpochDocument>(
  {
    _id: { type: String, required: true },
    epoch: { type: Number, required: true },
    emptied: { type: Number, required: true },
  },
  { collection: 'cache_epochs', versionKey: false },
);

/** The epoch of the caches, which all instances share. Each function returns it once a majority of the members has it. */
export interface CacheEpochStore {
  raise(): Promise<StoredEpoch>;
  empty(): Promise<StoredEpoch>;
  read(): Promise<StoredEpoch>;
}

export function createCacheEpochStore(connection: Connection): CacheEpochStore {
  const model = defineModel(connection, 'CacheEpoch', cacheEpochSchema);
  const filter = { _id: 'caches' } as const;

  async function add(increments: StoredEpoch): Promise<StoredEpoch> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const stored = await model.findOneAndUpdate(filter, { $inc: increments }, options).lean();
    return stored ?? increments;
  }

  return {
    raise: () => add({ epoch: 1, emptied: 0 }),
    empty: () => add({ epoch: 1, emptied: 1 }),
    async read() {
      const stored = await model.findOne(filter).readConcern('majority').lean<StoredEpoch>();
      return stored ?? { epoch: 0, emptied: 0 };
    },
  };
}
