import type { AnchorPage, AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { RefreshAnswer } from '../../../contract/schemas/reputation.js';
import { cardWindows } from '../../../contract/schemas/score-card.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import type { Aggregator } from './aggregator.js';
import { firstDayOf } from './card.rules.js';
import { allCorridors, type CardRow } from './card-row.js';
import { type AnchorCards, anchorCards, cardRows } from './card-rows.rules.js';
import { utcDay } from './contribution.rules.js';
import { speedTargetsOf } from './speed-targets.js';
import { currentGeneration, findRollups, idsBelow, type ReputationStore } from './store.js';

export const refreshLease = 'reputation-refresh';

/** The fleet as refresh needs it: every anchor that is or was in it, and the corridors of today. */
export interface FleetView {
  listAnchors(page: { limit: string; cursor?: string | undefined }): Promise<AnchorPage>;
  corridors(): readonly { id: string; speedTargetSeconds: number }[];
}

export interface Refresh {
  /** Folds what has changed, computes every card from the roll-ups and puts the new ones in force at once. */
  refresh(): Promise<LeaseOutcome<RefreshAnswer>>;
}

export interface RefreshDeps {
  store: ReputationStore;
  leases: Leases;
  inTransaction: InTransaction;
  aggregator: Aggregator;
  fleet: FleetView;
  clock: Clock;
  logger: Logger;
  leaseTtlMs?: number;
}

const defaultLeaseTtlMs = 10_000;
const chunkSize = 500;
const longestWindow = Math.max(...cardWindows);

/**
 * Reads roll-ups only, so that its cost depends on anchors, corridors and days and not on outcomes. Its rows carry
 * the number of the run (the lease's token, which no other run ever has) and are seen by nobody until one fenced
 * update points at it: killed anywhere, or overtaken, it leaves rows that the next run removes.
 */
export function createRefresh(deps: RefreshDeps): Refresh {
  const { store, leases, inTransaction, aggregator, fleet, clock, logger } = deps;

  async function run(lease: HeldLease): Promise<RefreshAnswer> {
    const startedAt = clock();
    const aggregation = await aggregator.aggregate();
    const computedAt = clock();
    const speedTargets = await speedTargetsOf(store, fleet.corridors());
    const records: AnchorCards[] = [];
    const generation = await currentGeneration(store);
    for await (const anchor of everyAnchor()) {
      lease.signal.throwIfAborted();
      records.push(await readAnchor(anchor, generation, computedAt, speedTargets));
    }
    const rows = cardRows(lease.token, records);
    await writeRows(lease, rows);
    await pointAt(lease, computedAt, speedTargets);
    await dropOlderRuns(lease);
    const cards = rows.filter(({ corridor }) => corridor !== allCorridors);
    const answer = {
      startedAt: toInstant(startedAt),
      computedAt: toInstant(computedAt),
      folded: aggregation.ran ? aggregation.value.intents : 0,
      foldedElsewhere: !aggregation.ran,
      anchors: records.length,
      cards: cards.length,
      scored: cards.filter(({ record }) => record.state === 'scored').length,
      durationMs: clock() - startedAt,
    };
    logger.info(answer, 'reputation refreshed');
    return answer;
  }

  async function* everyAnchor(): AsyncGenerator<AnchorSummary> {
    let cursor: string | undefined;
    do {
      const page = await fleet.listAnchors({ limit: '100', cursor });
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async function readAnchor(
    anchor: AnchorSummary,
    generation: number,
    now: number,
    speedTargets: ReadonlyMap<string, number>,
  ): Promise<AnchorCards> {
    const today = utcDay(new Date(now));
    const prefix = `${generation} ${anchor.id}`;
    const rollups = await findRollups(store, {
      $gte: `${prefix} ${firstDayOf(longestWindow, today)}`,
      $lt: idsBelow(prefix).$lt,
    });
    return anchorCards(anchor, rollups, today, speedTargets);
  }

  async function writeRows(lease: HeldLease, rows: readonly CardRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += chunkSize) {
      lease.signal.throwIfAborted();
      await store.cards.insertMany(rows.slice(from, from + chunkSize), { ordered: false, lean: true });
    }
  }

  async function pointAt(
    lease: HeldLease,
    computedAt: number,
    speedTargets: ReadonlyMap<string, number>,
  ): Promise<void> {
    await inTransaction(async (session) => {
      await lease.fence(session);
      const before = await store.state.findById('cards').session(session).lean();
      const state = {
        run: lease.token,
        computedAt: new Date(computedAt),
        previousRun: before?.run ?? null,
        previousComputedAt: before?.computedAt ?? null,
        speedTargets: Object.fromEntries(speedTargets),
      };
      await store.state.updateOne({ _id: 'cards' }, { $set: state }, { session, upsert: true });
    });
  }

  /** All but the run in force and the one before it; runs after this one are not ours to judge. */
  async function dropOlderRuns(lease: HeldLease): Promise<void> {
    const state = await store.state.findById('cards').lean();
    if (state?.run !== lease.token) return;
    const old = { run: { $lt: lease.token, $ne: state.previousRun ?? lease.token } };
    for (;;) {
      lease.signal.throwIfAborted();
      const rows = await store.cards.find(old, { _id: 1 }).limit(chunkSize).lean();
      if (rows.length === 0) return;
      await store.cards.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
    }
  }

  return { refresh: () => leases.run(refreshLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, run) };
}
