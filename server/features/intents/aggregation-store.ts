import type { Connection } from 'mongoose';
import { createWaker } from '../../mongo/change-streams.js';
import { bulkCollection, countUpTo } from '../../mongo/models.js';
import type { AggregatableIntent, IntentAggregation } from './aggregation.js';
import { type IntentDocument, intentModel } from './store.js';

/** The only fields that reputation reads; an intent holds much that does not concern reputation. */
const aggregatableFields: { readonly [K in keyof AggregatableIntent]: 1 | `$${string}` } = {
  _id: 1,
  anchorId: 1,
  corridor: 1,
  account: 1,
  sellAmount: 1,
  outcome: 1,
  scored: 1,
  unscoredReason: 1,
  disputeEffect: 1,
  counted: 1,
  admission: 1,
  pendingAggregation: '$unfolded',
};

const changesThatArePending: Record<string, unknown>[] = [
  {
    $match: {
      $or: [{ 'fullDocument.unfolded': true }, { 'updateDescription.updatedFields.unfolded': true }],
    },
  },
];

/**
 * The queries that reputation makes on the intents collection. They run often, so they use the driver's collection
 * directly, without the casting and the defaults of mongoose.
 */
export function createAggregationStore(connection: Connection): IntentAggregation {
  const model = intentModel(connection);
  const intents = connection
    .getClient()
    .db(connection.name)
    .collection<IntentDocument>(model.collection.name);
  const bulk = bulkCollection<IntentDocument>(connection, model.collection.name);

  return {
    async findPendingAggregation(limit) {
      const found = intents.find({ unfolded: true }, { projection: { _id: 1 } }).limit(limit);
      return (await found.toArray()).map(({ _id }) => _id);
    },

    countPendingAggregation: () => countUpTo(model, { unfolded: true }, 'unfolded'),

    listPendingOfAccounts: (accounts, limit) =>
      intents
        .find({ unfolded: true, account: { $in: [...accounts] } })
        .limit(limit)
        .project<AggregatableIntent>(aggregatableFields)
        .toArray(),

    readAggregatable: (session, intentHashes) =>
      intents
        .find({ _id: { $in: [...intentHashes] }, unfolded: true }, { session })
        .project<AggregatableIntent>(aggregatableFields)
        .toArray(),

    async saveCounted(session, counted) {
      const writes = counted.map(({ _id, counted, admission }) => ({
        updateOne: { filter: { _id }, update: { $set: { counted, admission, unfolded: false } } },
      }));
      await bulk.bulkWrite(writes, { session, ordered: false });
    },

    listForRebuild: (session, { after, limit }) =>
      intents
        .find(
          { _id: { $gt: after }, $or: [{ outcome: { $ne: null } }, { counted: { $ne: null } }] },
          { session },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .project<AggregatableIntent>(aggregatableFields)
        .toArray(),

    async markPendingAggregation(session, intentHashes) {
      const change = { $set: { unfolded: true } };
      await intents.updateMany({ _id: { $in: [...intentHashes] } }, change, { session });
    },

    watchPendingAggregation: ({ wake, logger }) =>
      createWaker({ model, pipeline: changesThatArePending, wake, logger }),
  };
}
