import type { Connection } from 'mongoose';
import { intentModel } from './store.js';
import type { UnpaidEnding } from './unpaid.rules.js';

/** The queries about intents without observed funds. Anyone can create such intents, so they are removed again. */
export interface UnpaidStore {
  /** Number of unpaid intents of all clients, open or ended, capped at `limit`. */
  countUnpaid(limit: number): Promise<number>;
  /** Number of unpaid intents of the client with this hash, capped at `limit`. */
  countUnpaidOf(client: string, limit: number): Promise<number>;
  /** Hashes of the removable intents with this ending from before this instant, longest ended first. */
  listEnded(ending: UnpaidEnding, before: Date, limit: number, ledger: LedgerUse): Promise<string[]>;
  /** Removes the intents among these that are still removable. Returns how many were removed. */
  remove(intentHashes: readonly string[], ledger: LedgerUse): Promise<number>;
  /** Keeps these for good, since they were disputed; they count for no client any more. */
  keepForDispute(intentHashes: readonly string[]): Promise<void>;
}

/** Whether payments are looked up on the ledger: an intent is then kept while a look-up may still show that it was paid. */
interface LedgerUse {
  asksLedger: boolean;
}

const unpaid = 'unpaid';
const expiredUnpaid = { status: 'expired', 'sightings.fundedAtMs': null } as const;
/** Intents that reputation has counted, or may still count, are not removed. */
const uncounted = { unfolded: false, counted: null, admission: null, disputeEffect: null } as const;
const notDue = ({ asksLedger }: LedgerUse) => (asksLedger ? ({ lookUpDue: null } as const) : {});

export function createUnpaidStore(connection: Connection): UnpaidStore {
  const model = intentModel(connection);

  return {
    countUnpaid: (limit) => model.countDocuments({ client: { $gte: '' } }, { hint: unpaid, limit }).exec(),

    countUnpaidOf: (client, limit) => model.countDocuments({ client }, { hint: unpaid, limit }).exec(),

    async listEnded(ending, before, limit, ledger) {
      const found = await model
        .find(
          {
            ...expiredUnpaid,
            ...uncounted,
            ...notDue(ledger),
            // Absent from every removable intent, so the index holds these next to each other.
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

    async remove(intentHashes, ledger) {
      const filter = { _id: { $in: [...intentHashes] }, ...expiredUnpaid, ...uncounted, ...notDue(ledger) };
      return (await model.deleteMany(filter)).deletedCount;
    },

    async keepForDispute(intentHashes) {
      const change = { $set: { keptFor: 'dispute' as const }, $unset: { client: '' as const } };
      await model.updateMany({ _id: { $in: [...intentHashes] } }, change);
    },
  };
}
