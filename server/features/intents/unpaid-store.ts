import type { Connection } from 'mongoose';
import { intentModel } from './store.js';
import type { UnpaidEnding } from './unpaid.rules.js';

/** The queries about intents that no funds were seen of, which anyone can make and which therefore leave again. */
export interface UnpaidStore {
  /** Those of every client, open or ended; `limit` at most. */
  countUnpaid(limit: number): Promise<number>;
  /** Those of one client, by its hash; `limit` at most. */
  countUnpaidOf(client: string, limit: number): Promise<number>;
  /** Hashes of those that ended so, before this instant, and that nothing keeps; longest ended first. */
  listEnded(ending: UnpaidEnding, before: Date, limit: number): Promise<string[]>;
  /** Removes those of these that are still unpaid. Returns how many. */
  remove(intentHashes: readonly string[]): Promise<number>;
  /** Keeps these for good, since they were disputed; they count for no client any more. */
  keepForDispute(intentHashes: readonly string[]): Promise<void>;
}

const unpaid = 'unpaid';
const expiredUnpaid = { status: 'expired', 'sightings.fundedAtMs': null } as const;
/** What counted in the reputation once, or may yet, stays. */
const uncounted = { unfolded: false, counted: null, admission: null, disputeEffect: null } as const;

export function createUnpaidStore(connection: Connection): UnpaidStore {
  const model = intentModel(connection);

  return {
    countUnpaid: (limit) => model.countDocuments({ client: { $gte: '' } }, { hint: unpaid, limit }).exec(),

    countUnpaidOf: (client, limit) => model.countDocuments({ client }, { hint: unpaid, limit }).exec(),

    async listEnded(ending, before, limit) {
      const found = await model
        .find(
          {
            ...expiredUnpaid,
            ...uncounted,
            // Present in none of those that may leave, so the index holds them together.
            keptFor: null,
            'outcome.reason': ending,
            'outcome.recordedAt': { $lt: before },
          },
          { _id: 1 },
        )
        .sort({ 'outcome.recordedAt': 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id }) => _id);
    },

    async remove(intentHashes) {
      const filter = { _id: { $in: [...intentHashes] }, ...expiredUnpaid, ...uncounted };
      return (await model.deleteMany(filter)).deletedCount;
    },

    async keepForDispute(intentHashes) {
      const change = { $set: { keptFor: 'dispute' as const }, $unset: { client: '' as const } };
      await model.updateMany({ _id: { $in: [...intentHashes] } }, change);
    },
  };
}
