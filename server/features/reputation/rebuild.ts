import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import {
  type ClientSession,
  createInLeasedTransaction,
  type InTransaction,
} from '../../mongo/transactions.js';
import type { Logger } from '../../ports.js';
import type { IntentAggregation } from '../intents/aggregation.js';
import { accountDaysOf, planRebuild } from './aggregation.rules.js';
import { aggregationLease } from './aggregator.js';
import { differenceOf, type Rollup, type RollupDifference } from './counters.rules.js';
import type { ReputationStore } from './store.js';

export interface RebuildReport {
  generation: number;
  intents: number;
  /** Intents whose contribution in the roll-ups differs from the one by the current rules. */
  stale: number;
  rollups: number;
  /** Roll-ups that disagree with the rebuilt ones; `differences` holds the first twenty. */
  differing: number;
  differences: RollupDifference[];
  /** Whether the rebuilt roll-ups are the ones in force now. */
  adopted: boolean;
}

/**
 * Counts every intent again into a separate generation and compares it with the one in force: they must agree exactly.
 * With `adopt` the rebuilt generation replaces it, and stale intents are marked to be aggregated.
 */
export type Rebuild = (options: {
  adopt: boolean;
  /** Called after every page with the number of intents counted so far. */
  onProgress?: (intents: number) => void;
}) => Promise<LeaseOutcome<RebuildReport>>;

export interface RebuildDeps {
  store: ReputationStore;
  intents: Pick<IntentAggregation, 'listForRebuild' | 'markPendingAggregation'>;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  logger: Logger;
  leaseTtlMs?: number;
}

const defaultLeaseTtlMs = 10_000;
const pageSize = 500;
const maxShown = 20;

/** A rebuild holds the aggregator's lease: nothing is aggregated meanwhile, so counted contributions do not change. */
export function createRebuild(deps: RebuildDeps): Rebuild {
  const { store, intents, leases, logger } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const { rollups } = store;

  async function rebuild(
    lease: HeldLease,
    { adopt, onProgress }: Parameters<Rebuild>[0],
  ): Promise<RebuildReport> {
    const current = await store.currentGeneration();
    await dropOthers(lease, current);
    // Lease tokens grow, so no other rebuild has ever written this generation.
    const generation = current + lease.token;
    const counted = await countAnew(lease, generation, adopt, onProgress);
    const compared = await compare(lease, current, generation);
    if (adopt) await inLeasedTransaction(lease, (session) => store.putGenerationInForce(session, generation));
    await dropOthers(lease, adopt ? generation : current);
    const report = { generation, ...counted, ...compared, adopted: adopt };
    const { differing, stale } = report;
    if (differing > 0 || stale > 0)
      logger.error({ differing, stale, adopted: adopt }, 'a rebuild found differences');
    return report;
  }

  async function countAnew(
    lease: HeldLease,
    generation: number,
    adopt: boolean,
    onProgress?: (intents: number) => void,
  ) {
    const counted = { intents: 0, stale: 0 };
    let after = '';
    for (;;) {
      lease.signal.throwIfAborted();
      const page = await inLeasedTransaction(lease, async (session) => {
        const found = await intents.listForRebuild(session, { after, limit: pageSize });
        const accountDays = await rollups.readAccountDays(session, generation, accountDaysOf(found));
        const plan = planRebuild(found, accountDays, { keepCounted: adopt });
        await rollups.addCounts(session, generation, plan);
        if (adopt && plan.stale.length > 0) await intents.markPendingAggregation(session, plan.stale);
        return { last: found.at(-1)?._id, intents: found.length, stale: plan.stale.length };
      });
      counted.intents += page.intents;
      counted.stale += page.stale;
      onProgress?.(counted.intents);
      if (page.last === undefined || page.intents < pageSize) return counted;
      after = page.last;
    }
  }

  async function compare(lease: HeldLease, current: number, rebuilt: number) {
    const found = { rollups: 0, differing: 0, differences: [] as RollupDifference[] };
    const note = (key: string, had: Rollup | undefined, has: Rollup | undefined) => {
      const difference = differenceOf(key, had, has);
      if (difference === null) return;
      found.differing += 1;
      if (found.differences.length < maxShown) found.differences.push(difference);
    };
    for await (const page of rollups.pages(current)) {
      lease.signal.throwIfAborted();
      const counterparts = await rollups.findByKeys(rebuilt, keysOf(page));
      for (const { key, rollup } of page) note(key, rollup, counterparts.get(key));
    }
    for await (const page of rollups.pages(rebuilt)) {
      lease.signal.throwIfAborted();
      found.rollups += page.length;
      const counterparts = await rollups.findByKeys(current, keysOf(page));
      // Roll-ups that exist in both generations have already been compared.
      for (const { key, rollup } of page) if (!counterparts.has(key)) note(key, undefined, rollup);
    }
    return found;
  }

  /** Removes the generations that an earlier rebuild left behind, or the one that this rebuild replaces. */
  async function dropOthers(lease: HeldLease, generation: number): Promise<void> {
    // Fenced like every other write: a rebuild that was suspended must not delete what another one has put in force.
    const dropSome = (session: ClientSession) => rollups.dropSomeOfOthers(session, generation);
    do lease.signal.throwIfAborted();
    while (await inLeasedTransaction(lease, dropSome));
  }

  return (options) =>
    leases.run(aggregationLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, (lease) => rebuild(lease, options));
}

function keysOf(page: readonly { key: string }[]): string[] {
  return page.map(({ key }) => key);
}
