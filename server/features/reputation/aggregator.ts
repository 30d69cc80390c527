import pLimit from 'p-limit';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Logger } from '../../ports.js';
import type { IntentAggregation } from '../intents/aggregation.js';
import { accountDaysOf, planAggregation } from './aggregation.rules.js';
import type { ReputationStore } from './store.js';

/** One worker at a time aggregates or rebuilds, whichever instance it is on. */
export const aggregationLease = 'reputation-fold';

export interface AggregationReport {
  /** Intents whose change was counted. */
  intents: number;
  batches: number;
}

export interface Aggregator {
  /** Counts every changed intent; does nothing while another instance aggregates. */
  aggregate(): Promise<LeaseOutcome<AggregationReport>>;
}

/** The functions of the intents that the aggregator calls. */
export type PendingIntents = Pick<
  IntentAggregation,
  'findPendingAggregation' | 'readAggregatable' | 'saveCounted'
>;

export interface AggregatorDeps {
  store: ReputationStore;
  intents: PendingIntents;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  logger: Logger;
  leaseTtlMs?: number;
  batchSize?: number;
}

const defaultLeaseTtlMs = 10_000;
const defaultBatchSize = 500;
const leastBatchSize = 8;
/** A run stops after this many batches and releases the lease; the next run takes what is left. */
const maxBatches = 2_000;

/**
 * Takes changed intents in batches. One transaction per batch adds to the roll-ups the difference between the contribution
 * that each intent should have and the counted one, stores the new one and clears the mark. The transaction reads the
 * intents that it writes, so it conflicts and starts over if one changes meanwhile: no change is lost or counted twice.
 */
export function createAggregator(deps: AggregatorDeps): Aggregator {
  const { store, intents, leases, logger } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const { leaseTtlMs = defaultLeaseTtlMs, batchSize = defaultBatchSize } = deps;
  const oneAtATime = pLimit(1);

  async function aggregateAll(lease: HeldLease): Promise<AggregationReport> {
    await store.fillAccounts();
    const report: AggregationReport = { intents: 0, batches: 0 };
    let size = batchSize;
    while (report.batches < maxBatches && !lease.signal.aborted) {
      const hashes = await intents.findPendingAggregation(size);
      if (hashes.length === 0) break;
      try {
        report.intents += await aggregateBatch(lease, hashes);
        report.batches += 1;
      } catch (error) {
        // The batch may have been too large for one transaction, which then ran out of time, or kept conflicting with other
        // writers until it did. A database that is away fails at any size.
        if (size <= leastBatchSize || !isMongoUnavailable(error)) throw error;
        size = Math.max(leastBatchSize, Math.floor(size / 4));
        logger.warn({ err: error, batchSize: size }, 'the aggregator goes on in smaller batches');
      }
    }
    return report;
  }

  function aggregateBatch(lease: HeldLease, hashes: readonly string[]): Promise<number> {
    return inLeasedTransaction(lease, async (session) => {
      const generation = await store.currentGeneration(session);
      const batch = await intents.readAggregatable(session, hashes);
      if (batch.length === 0) return 0;
      const accountDays = await store.rollups.readAccountDays(session, generation, accountDaysOf(batch));
      const accounts = [...new Set(batch.map(({ account }) => account))];
      const firstDays = await store.accounts.readFirstDays(session, accounts);
      const plan = planAggregation(batch, accountDays, firstDays);
      await store.rollups.addCounts(session, generation, plan);
      await store.accounts.saveFirstDays(session, plan.firstDays);
      await intents.saveCounted(session, plan.intents);
      return batch.length;
    });
  }

  async function aggregate(): Promise<LeaseOutcome<AggregationReport>> {
    // Most runs find nothing to do, so they do not request the lease.
    const [any] = await intents.findPendingAggregation(1);
    if (any === undefined) return { ran: true, value: { intents: 0, batches: 0 } };
    return leases.run(aggregationLease, leaseTtlMs, aggregateAll);
  }

  return {
    // One at a time, so that a refresh waits for an aggregation of this process: at startup both begin together.
    aggregate: () => oneAtATime(aggregate),
  };
}
