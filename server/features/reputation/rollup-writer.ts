import { type ClientSession, mongo } from 'mongoose';
import type { AccountDay, AggregationPlan, RollupDelta } from './aggregation.rules.js';
import { changeHistogram, emptyHistogram, type PackedHistogram } from './histogram.rules.js';
import { findRollups, type ReputationStore } from './store.js';

/** The account-days of a generation by `accountDayKey`; those never written are absent. */
export async function readAccountDays(
  store: ReputationStore,
  session: ClientSession,
  generation: number,
  keys: readonly string[],
): Promise<Map<string, AccountDay>> {
  const ids = keys.map((key) => `${generation} ${key}`);
  const rows = await store.accountDays
    .find({ _id: { $in: ids } })
    .session(session)
    .lean();
  const prefix = `${generation} `.length;
  return new Map(rows.map(({ _id, admitted, counting }) => [_id.slice(prefix), { admitted, counting }]));
}

/** Adds a plan to the roll-ups and account-days of a generation, in the caller's transaction. */
export async function writeCounts(
  store: ReputationStore,
  session: ClientSession,
  generation: number,
  plan: Pick<AggregationPlan, 'rollups' | 'accountDays'>,
): Promise<void> {
  const rollups = [...plan.rollups].filter(([, delta]) => changesSomething(delta));
  if (rollups.length > 0) {
    const histograms = await readHistograms(store, session, generation, rollups);
    await store.bulk.rollups.bulkWrite(
      rollups.map(([key, delta]) => ({
        updateOne: {
          filter: { _id: `${generation} ${key}` },
          update: increments(delta, generation, histograms.get(`${generation} ${key}`)),
          upsert: true,
        },
      })),
      { session, ordered: false },
    );
  }
  if (plan.accountDays.size > 0) {
    await store.bulk.accountDays.bulkWrite(
      [...plan.accountDays].map(([key, { admitted, counting }]) => ({
        updateOne: {
          filter: { _id: `${generation} ${key}` },
          update: { $set: { admitted, counting } },
          upsert: true,
        },
      })),
      { session, ordered: false },
    );
  }
}

/** Read and written back in one transaction: the folder is the one writer. */
async function readHistograms(
  store: ReputationStore,
  session: ClientSession,
  generation: number,
  rollups: readonly (readonly [string, RollupDelta])[],
): Promise<Map<string, PackedHistogram>> {
  const ids = rollups.map(([key]) => `${generation} ${key}`);
  const rows = await findRollups(store, { $in: ids }, { session });
  return new Map(rows.map(({ _id, settle }) => [_id, settle]));
}

/** All counters in every update, so that a roll-up is whole from the start. */
function increments(delta: RollupDelta, generation: number, histogram: PackedHistogram | undefined) {
  const { anchorId, corridor, day } = delta;
  const settle = changeHistogram(histogram ?? emptyHistogram, delta.settle);
  return {
    $inc: {
      filled: delta.filled,
      notFilled: delta.notFilled,
      accountDays: delta.accountDays,
      quotedOutcomes: delta.quotedOutcomes,
      // 64 bits: a sum of parts per 10⁹ outgrows 32, and as a double it would lose its last units one day.
      shortfallPpb: mongo.Long.fromNumber(delta.shortfallPpb),
      acceptedDisputes: delta.acceptedDisputes,
    },
    $set: { settle: new mongo.Binary(settle) },
    $setOnInsert: { generation, anchorId, corridor, day },
  };
}

function changesSomething({
  anchorId: _a,
  corridor: _c,
  day: _d,
  settle,
  ...counters
}: RollupDelta): boolean {
  return (
    Object.values(counters).some((change) => change !== 0) ||
    [...settle.values()].some((change) => change !== 0)
  );
}
