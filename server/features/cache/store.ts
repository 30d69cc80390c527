import type { Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';

/** Both only grow. */
export interface StoredEpoch {
  /** How many operations of operators have changed something. */
  epoch: number;
  /** How many of them emptied the caches. */
  emptied: number;
}

const cacheEpochSchema = typedSchema<StoredEpoch & { _id: 'caches' }>('cache_epochs');

/** The epoch of the caches, which all instances share. Each function returns it once a majority of the members has it. */
export function createCacheEpochStore(connection: Connection) {
  const model = defineModel(connection, 'CacheEpoch', cacheEpochSchema);
  const filter = { _id: 'caches' } as const;

  async function add(increments: StoredEpoch): Promise<StoredEpoch> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await model.findOneAndUpdate(filter, { $inc: increments }, options).lean()) ?? increments;
  }

  return {
    raise: () => add({ epoch: 1, emptied: 0 }),
    empty: () => add({ epoch: 1, emptied: 1 }),
    async read(): Promise<StoredEpoch> {
      return (await model.findOne(filter).lean<StoredEpoch>()) ?? { epoch: 0, emptied: 0 };
    },
  };
}
