import type { Connection } from 'mongoose';
import { type ChangeStream, type ChangeStreamDeps, watchChanges } from '../../mongo/change-streams.js';
import { inBatches } from '../../mongo/in-batches.js';
import type { Intent } from './intent.js';
import { type IntentDocument, intentModel, toIntent } from './store.js';

/** The database access of the intent streams. */
export interface IntentStreamStore {
  /**
   * The intent as a majority of the database stores it, so that no transition is sent that a new primary rolls back.
   * Concurrent calls are batched into one query.
   */
  readCommitted(intentHash: string): Promise<Intent | null>;
  /** Calls `onStep` for each intent that had a transition, ended for good or was removed. */
  watchSteps(
    deps: Pick<ChangeStreamDeps<unknown>, 'onOpen' | 'logger'> & { onStep: (intentHash: string) => void },
  ): ChangeStream;
}

const maxBatch = 100;

const changesWithSteps = [
  {
    $match: {
      $or: [
        { operationType: 'delete' },
        { 'updateDescription.updatedFields.steps': { $exists: true } },
        { 'updateDescription.updatedFields.status': { $exists: true } },
        { 'updateDescription.updatedFields.open': false },
        { 'updateDescription.removedFields': 'lookUpDue' },
      ],
    },
  },
  { $project: { documentKey: 1 } },
];

export function createIntentStreamStore(connection: Connection): IntentStreamStore {
  const model = intentModel(connection);
  return {
    readCommitted: inBatches<string, Intent | null>({
      async send(intentHashes) {
        const found = await model
          .find({ _id: { $in: [...new Set(intentHashes)] } })
          .readConcern('majority')
          .lean<IntentDocument[]>();
        const byHash = new Map(found.map((document) => [document._id, toIntent(document)]));
        return intentHashes.map((intentHash) => byHash.get(intentHash) ?? null);
      },
      maxItems: maxBatch,
    }),
    watchSteps: ({ onStep, ...deps }) =>
      watchChanges({
        ...deps,
        model,
        pipeline: changesWithSteps,
        onChange: ({ documentKey }) => onStep(String(documentKey?._id)),
      }),
  };
}
