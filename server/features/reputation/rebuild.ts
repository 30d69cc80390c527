import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Logger } from '../../ports.js';
import { accountDaysOf, planRebuild } from './aggregation.rules.js';
import { aggregationLease } from './aggregator.js';
import { type Difference, differenceOf } from './compare.rules.js';
import { readAccountDays, writeCounts } from './rollup-writer.js';
import {
  aggregatableFields,
  currentGeneration,
  findRollups,
  idsBelow,
  type ReputationStore,
} from './store.js';

export interface RebuildReport {
  generation: number;
  intents: number;
  /** Intents of which the roll-ups hold something else than the rules make of them now. */
  stale: number;
  rollups: number;
  /** Roll-ups that disagree with the rebuilt ones; the first twenty of them are shown. */
  differing: number;
  differences: Difference[];
  /** Whether the rebuilt roll-ups are the ones in force now. */
  adopted: boolean;
}

export interface Rebuild {
  /**
   * Counts every intent anew into a generation of its own and compares it with the one in force: they must agree to
   * the last unit. With `adopt` the rebuilt generation takes its place, and stale intents are marked to be folded.
   */
  rebuild(options: { adopt: boolean }): Promise<LeaseOutcome<RebuildReport>>;
}

interface Deps {
  store: ReputationStore;
  leases: Leases;
  inTransaction: InTransaction;
  logger: Logger;
  leaseTtlMs?: number;
}

const defaultLeaseTtlMs = 10_000;
const pageSize = 500;
const maxShown = 20;

/** Under the folder's lease: nothing is folded meanwhile, so that what an intent has counted holds still. */
export function createRebuild(deps: Deps): Rebuild {
  const { store, leases, inTransaction, logger } = deps;

  async function run(lease: HeldLease, adopt: boolean): Promise<RebuildReport> {
    const current = await currentGeneration(store);
    await dropOthers(lease, current);
    // Tokens grow: no other rebuild ever wrote this generation.
    const generation = current + lease.token;
    const { intents, stale } = await countAnew(lease, generation, adopt);
    const compared = await compare(lease, current, generation);
    if (adopt) await switchTo(lease, generation);
    await dropOthers(lease, adopt ? generation : current);
    if (compared.differing > 0 || stale > 0) {
      logger.error({ differing: compared.differing, stale, adopted: adopt }, 'a rebuild found differences');
    }
    return { generation, intents, stale, ...compared, adopted: adopt };
  }

  async function countAnew(lease: HeldLease, generation: number, adopt: boolean) {
    let after = '';
    const seen = { intents: 0, stale: 0 };
    for (;;) {
      lease.signal.throwIfAborted();
      const page = await inTransaction(async (session) => {
        await lease.fence(session);
        const intents = await store.intents
          .find(
            { _id: { $gt: after }, $or: [{ outcome: { $ne: null } }, { counted: { $ne: null } }] },
            { projection: aggregatableFields, session },
          )
          .sort({ _id: 1 })
          .limit(pageSize)
          .toArray();
        const stored = await readAccountDays(store, session, generation, accountDaysOf(intents));
        const plan = planRebuild(intents, stored, { keepCounted: adopt });
        await writeCounts(store, session, generation, plan);
        if (adopt && plan.stale.length > 0) {
          await store.intents.updateMany(
            { _id: { $in: plan.stale } },
            { $set: { unfolded: true } },
            { session },
          );
        }
        return { last: intents.at(-1)?._id, intents: intents.length, stale: plan.stale.length };
      });
      seen.intents += page.intents;
      seen.stale += page.stale;
      if (page.last === undefined || page.intents < pageSize) return seen;
      after = page.last;
    }
  }

  async function compare(lease: HeldLease, current: number, rebuilt: number) {
    const found = { rollups: 0, differing: 0, differences: [] as Difference[] };
    for (const [generation, other] of [
      [current, rebuilt],
      [rebuilt, current],
    ] as const) {
      for await (const rows of rollupPages(lease, generation)) {
        const keys = rows.map(({ _id }) => _id.slice(`${generation} `.length));
        const counterparts = await findRollups(store, { $in: keys.map((key) => `${other} ${key}`) });
        const byId = new Map(counterparts.map((row) => [row._id, row]));
        for (const [index, row] of rows.entries()) {
          const counterpart = byId.get(`${other} ${keys[index]}`);
          // The second way round only what the first one could not see.
          if (generation === rebuilt && counterpart !== undefined) continue;
          const [had, has] = generation === current ? [row, counterpart] : [counterpart, row];
          const difference = differenceOf(keys[index] ?? '', had, has);
          if (difference === null) continue;
          found.differing += 1;
          if (found.differences.length < maxShown) found.differences.push(difference);
        }
        if (generation === rebuilt) found.rollups += rows.length;
      }
    }
    return found;
  }

  async function* rollupPages(lease: HeldLease, generation: number) {
    const range = idsBelow(String(generation));
    let after = range.$gte;
    for (;;) {
      lease.signal.throwIfAborted();
      const rows = await findRollups(store, { $gt: after, $lt: range.$lt }, { limit: pageSize });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last._id;
    }
  }

  async function switchTo(lease: HeldLease, generation: number): Promise<void> {
    await inTransaction(async (session) => {
      await lease.fence(session);
      await store.state.updateOne({ _id: 'rollups' }, { $set: { generation } }, { session, upsert: true });
    });
  }

  /** What an earlier rebuild left behind, or this one need not keep. */
  async function dropOthers(lease: HeldLease, generation: number): Promise<void> {
    const kept = idsBelow(String(generation));
    for (const model of [store.rollups, store.accountDays]) {
      for (const outside of [{ $lt: kept.$gte }, { $gte: kept.$lt }]) {
        for (;;) {
          lease.signal.throwIfAborted();
          const rows = await model.collection
            .find({ _id: outside as never }, { projection: { _id: 1 } })
            .limit(pageSize)
            .toArray();
          if (rows.length === 0) break;
          await model.collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
        }
      }
    }
  }

  return {
    rebuild: ({ adopt }) =>
      leases.run(aggregationLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, (lease) => run(lease, adopt)),
  };
}
