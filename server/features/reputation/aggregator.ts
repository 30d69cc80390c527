import { mongo } from 'mongoose';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Logger } from '../../ports.js';
import { accountDaysOf, planAggregation } from './aggregation.rules.js';
import { readAccountDays, writeCounts } from './rollup-writer.js';
import { aggregatableFields, currentGeneration, type ReputationStore } from './store.js';

/** One worker at a time folds or rebuilds, whichever instance it is on. */
export const aggregationLease = 'reputation-fold';

/** A change stream on `intents` narrowed to this wakes the folder. */
export const aggregationWakePipeline: Record<string, unknown>[] = [
  {
    $match: {
      $or: [{ 'fullDocument.unfolded': true }, { 'updateDescription.updatedFields.unfolded': true }],
    },
  },
];

export interface AggregationReport {
  /** Intents whose change was counted. */
  intents: number;
  batches: number;
}

export interface Aggregator {
  /** Counts every changed intent there is; does nothing while another instance does. */
  aggregate(): Promise<LeaseOutcome<AggregationReport>>;
}

export interface AggregatorDeps {
  store: ReputationStore;
  leases: Leases;
  inTransaction: InTransaction;
  logger: Logger;
  leaseTtlMs?: number;
  batchSize?: number;
}

const defaultLeaseTtlMs = 10_000;
const defaultBatchSize = 500;
const leastBatchSize = 8;
/** A run ends here, so that the lease goes round; the next one takes what is left. */
const maxBatches = 2_000;

/**
 * Takes changed intents in batches, and in one fenced transaction adds to the roll-ups what each should contribute
 * over what it has, stores that and clears its mark. The transaction reads the intents it writes, so that one that
 * changes meanwhile makes it conflict and start over: no change is lost and none counted twice.
 */
export function createAggregator(deps: AggregatorDeps): Aggregator {
  const { store, leases, inTransaction, logger } = deps;
  const { leaseTtlMs = defaultLeaseTtlMs, batchSize = defaultBatchSize } = deps;

  async function aggregateAll(lease: HeldLease): Promise<AggregationReport> {
    const report: AggregationReport = { intents: 0, batches: 0 };
    let size = batchSize;
    while (report.batches < maxBatches && !lease.signal.aborted) {
      const ids = await unfoldedIds(size);
      if (ids.length === 0) break;
      try {
        report.intents += await aggregateBatch(lease, ids);
        report.batches += 1;
      } catch (error) {
        // Perhaps only too much for one transaction; what cannot be reached fails at any size.
        if (size <= leastBatchSize || !mayPassInSmallerBatches(error)) throw error;
        size = Math.max(leastBatchSize, Math.floor(size / 4));
        logger.warn({ err: error, batchSize: size }, 'folding goes on in smaller batches');
      }
    }
    return report;
  }

  async function unfoldedIds(limit: number): Promise<string[]> {
    const rows = await store.intents
      .find({ unfolded: true }, { projection: { _id: 1 } })
      .limit(limit)
      .toArray();
    return rows.map(({ _id }) => _id);
  }

  function aggregateBatch(lease: HeldLease, ids: readonly string[]): Promise<number> {
    return inTransaction(async (session) => {
      await lease.fence(session);
      const generation = await currentGeneration(store, session);
      const intents = await store.intents
        .find({ _id: { $in: [...ids] }, unfolded: true }, { projection: aggregatableFields, session })
        .toArray();
      if (intents.length === 0) return 0;
      const stored = await readAccountDays(store, session, generation, accountDaysOf(intents));
      const plan = planAggregation(intents, stored);
      await writeCounts(store, session, generation, plan);
      await store.bulk.intents.bulkWrite(
        plan.intents.map(({ _id, counted, admission }) => ({
          updateOne: { filter: { _id }, update: { $set: { counted, admission, unfolded: false } } },
        })),
        { session, ordered: false },
      );
      return intents.length;
    });
  }

  return {
    async aggregate() {
      // Most looks find nothing, and need no lease for that.
      if ((await unfoldedIds(1)).length === 0) return { ran: true, value: { intents: 0, batches: 0 } };
      return leases.run(aggregationLease, leaseTtlMs, aggregateAll);
    },
  };
}

/** Out of time, or in conflict with other writers until it was. */
function mayPassInSmallerBatches(error: unknown): boolean {
  if (isMongoUnavailable(error)) return true;
  return error instanceof mongo.MongoError && error.hasErrorLabel('TransientTransactionError');
}
