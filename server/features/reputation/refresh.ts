import type { AnchorPage, AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { RefreshAnswer } from '../../../contract/schemas/reputation.js';
import { cardWindows } from '../../../contract/schemas/score-card.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import type { Aggregator } from './aggregator.js';
import { type AnchorCards, anchorCards, firstDayOf } from './card.rules.js';
import { utcDay } from './contribution.rules.js';
import { allCorridors, rankedCards } from './ranking.rules.js';
import { maxAccountDays } from './spread.rules.js';
import type { ReputationStore, Runs } from './store.js';

export const refreshLease = 'reputation-refresh';

/** The fleet as refresh needs it: every anchor that is or was in it, and the corridors of today. */
export interface FleetView {
  listAnchors(page: { limit: string; cursor?: string | undefined }): Promise<AnchorPage>;
  corridors(): readonly { id: string; speedTargetSeconds: number }[];
}

/** Aggregates what has changed, computes every card from the roll-ups and puts the new ones in force at once. */
export type Refresh = () => Promise<LeaseOutcome<RefreshAnswer>>;

export interface RefreshDeps {
  store: ReputationStore;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  aggregator: Aggregator;
  fleet: FleetView;
  /** Called when a run of this instance has been put in force. */
  onNewRun: (runs: Runs) => void;
  clock: Clock;
  logger: Logger;
  leaseTtlMs?: number;
}

const defaultLeaseTtlMs = 10_000;
const chunkSize = 500;
const longestWindow = Math.max(...cardWindows);

/**
 * Reads roll-ups and a bounded number of account-days, so its cost does not grow with outcomes. Its cards carry the number
 * of the run (the token of the lease, which no other run ever has), and nobody sees them until one transaction under the
 * lease puts the run in force. Killed anywhere, or overtaken, it leaves cards that the next run removes.
 */
export function createRefresh(deps: RefreshDeps): Refresh {
  const { store, aggregator, fleet, clock, logger } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);

  async function refresh(lease: HeldLease): Promise<RefreshAnswer> {
    const startedAt = clock();
    const aggregation = await aggregator.aggregate();
    const computedAt = clock();
    const speedTargets = await store.speedTargets(fleet.corridors());
    const anchors = await readAnchors(lease, computedAt, speedTargets);
    const cards = rankedCards(lease.token, anchors);
    for (let from = 0; from < cards.length; from += chunkSize) {
      lease.signal.throwIfAborted();
      await store.cards.insert(cards.slice(from, from + chunkSize));
    }
    const run = { run: lease.token, computedAt: new Date(computedAt) };
    const runs = await inLeasedTransaction(lease, (session) =>
      store.putRunInForce(session, run, speedTargets),
    );
    deps.onNewRun(runs);
    await dropOlderRuns(lease);
    const ofCorridors = cards.filter(({ corridor }) => corridor !== allCorridors);
    const answer = {
      startedAt: toInstant(startedAt),
      computedAt: toInstant(computedAt),
      folded: aggregation.ran ? aggregation.value.intents : 0,
      foldedElsewhere: !aggregation.ran,
      anchors: anchors.length,
      cards: ofCorridors.length,
      scored: ofCorridors.filter(({ record }) => record.state === 'scored').length,
      durationMs: clock() - startedAt,
    };
    logger.info(answer, 'reputation refreshed');
    return answer;
  }

  async function readAnchors(
    lease: HeldLease,
    now: number,
    speedTargets: ReadonlyMap<string, number>,
  ): Promise<AnchorCards[]> {
    const today = utcDay(new Date(now));
    const from = firstDayOf(longestWindow, today);
    const generation = await store.currentGeneration();
    const read: AnchorCards[] = [];
    for await (const anchor of everyAnchor()) {
      lease.signal.throwIfAborted();
      const rollups = await store.rollups.listOfAnchor(generation, anchor.id, { from });
      const newest = { from, limit: maxAccountDays };
      const accountDays = await store.rollups.listAccountDaysOfAnchor(generation, anchor.id, newest);
      read.push(anchorCards(anchor, rollups, today, speedTargets, accountDays));
    }
    return read;
  }

  async function* everyAnchor(): AsyncGenerator<AnchorSummary> {
    let cursor: string | undefined;
    do {
      const page = await fleet.listAnchors({ limit: '100', cursor });
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Keeps the run in force and the one before it. Runs after this one belong to other holders of the lease. */
  async function dropOlderRuns(lease: HeldLease): Promise<void> {
    const { current, previous } = await store.readRuns();
    if (current?.run !== lease.token) return;
    do lease.signal.throwIfAborted();
    while (await store.cards.dropSomeBefore(lease.token, previous?.run ?? null));
  }

  return () => deps.leases.run(refreshLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, refresh);
}
