import type { Connection } from 'mongoose';
import { type ChangeStream, type ChangeStreamDeps, watchChanges } from '../../../mongo/change-streams.js';
import type { Intent } from '../intent.js';
import { intentCollection, intentModel } from '../store.js';

/** What the streams read of the database beside the intents. */
export interface IntentVersions {
  /** The versions of those of these intents that exist, read by one query. */
  versionsOf(intentHashes: readonly string[]): Promise<Map<string, number>>;
  /** Calls `onChange` for each intent that was changed or removed, while it is open. */
  watch(
    deps: Pick<ChangeStreamDeps<unknown>, 'onOpen' | 'logger'> & { onChange: (intentHash: string) => void },
  ): ChangeStream;
}

export function createIntentVersions(connection: Connection): IntentVersions {
  const isNew = { 'updateDescription.updatedFields.version': { $exists: true } };
  const pipeline = [
    { $match: { $or: [{ operationType: 'delete' }, isNew] } },
    { $project: { documentKey: 1 } },
  ];
  const model = intentModel(connection);
  const intents = intentCollection(connection);
  return {
    async versionsOf(intentHashes) {
      const found = intents
        .find({ _id: { $in: [...intentHashes] } })
        .project<Pick<Intent, '_id' | 'version'>>({ version: 1 });
      return new Map((await found.toArray()).map(({ _id, version }) => [_id, version]));
    },
    watch: ({ onChange, ...deps }) =>
      watchChanges({
        ...deps,
        model,
        pipeline,
        onChange: ({ documentKey }) => onChange(String(documentKey?._id)),
      }),
  };
}
