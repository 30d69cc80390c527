import type { Connection } from 'mongoose';
import { type ChangeStream, type ChangeStreamDeps, watchChanges } from '../../../mongo/change-streams.js';
import type { Intent } from '../intent.js';
import { intentModel } from '../store.js';

/** The database access of the intent streams. */
export interface IntentStreamStore {
  /** The versions of those of these intents that exist, read by one query. */
  versionsOf(intentHashes: readonly string[]): Promise<Map<string, number>>;
  /** Calls `onChange` for each intent that was changed or removed, while it is open. */
  watch(
    deps: Pick<ChangeStreamDeps<unknown>, 'onOpen' | 'logger'> & { onChange: (intentHash: string) => void },
  ): ChangeStream;
}

const newVersions = [
  {
    $match: {
      $or: [{ operationType: 'delete' }, { 'updateDescription.updatedFields.version': { $exists: true } }],
    },
  },
  { $project: { documentKey: 1 } },
];

export function createIntentStreamStore(connection: Connection): IntentStreamStore {
  const model = intentModel(connection);
  return {
    async versionsOf(intentHashes) {
      const found = await model
        .find({ _id: { $in: [...intentHashes] } }, { version: 1 })
        .lean<Pick<Intent, '_id' | 'version'>[]>();
      return new Map(found.map(({ _id, version }) => [_id, version]));
    },
    watch: ({ onChange, ...deps }) =>
      watchChanges({
        ...deps,
        model,
        pipeline: newVersions,
        onChange: ({ documentKey }) => onChange(String(documentKey?._id)),
      }),
  };
}
