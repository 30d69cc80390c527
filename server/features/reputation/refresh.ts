import type { AnchorPage, AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { RefreshAnswer } from '../../../contract/schemas/reputation.js';
import { cardWindows } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { utcDay } from '../../utc-day.rules.js';
import type { Aggregator } from './aggregator.js';
import { type AnchorCards, anchorCards, firstDayOf } from './card.rules.js';
import type { Runs } from './formula-store.js';
import { allCorridors, type RankedCard, rankedCards } from './ranking.rules.js';
import { maxAccountDays } from './spread.rules.js';
import type { ReputationStore } from './store.js';

export const refreshLease = 'reputation-refresh';

/** The fleet as refresh needs it: every anchor that is or was in it, and the corridors of today. */
export interface FleetView {
  listAnchors(page: { limit: string; cursor?: string | undefined }): Promise<AnchorPage>;
  corridors(): readonly { id: string; speedTargetSeconds: number }[];
}

/** The state of the ledger; null if none is configured, so that outcomes are scored by v1 alone. */
export type LedgerView = {
  /** Whether the ledger does not answer: payments cannot be verified then, so the cards of v2 are not recomputed. */
  isAway(): Promise<boolean>;
} | null;

/** Aggregates what has changed, computes every card from the roll-ups and puts the new cards in force all together. */
export type Refresh = () => Promise<LeaseOutcome<RefreshAnswer>>;

export interface RefreshDeps {
  store: ReputationStore;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  aggregator: Aggregator;
  fleet: FleetView;
  ledger: LedgerView;
  /** Called when a run of this instance has been put in force. */
  onNewRun: (formula: Formula, runs: Runs) => void;
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
 * lease puts the run in force. If it is killed or loses the lease, the next run removes the cards that it leaves behind.
 */
export function createRefresh(deps: RefreshDeps): Refresh {
  const { store, aggregator, fleet, ledger, clock, logger } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);

  async function refresh(lease: HeldLease): Promise<RefreshAnswer> {
    const startedAt = clock();
    const aggregation = await aggregator.aggregate();
    const computedAt = clock();
    const speedTargets = await store.speedTargets(fleet.corridors());
    const answers = ledger !== null && !(await ledger.isAway());
    const formulas: readonly Formula[] = answers ? ['v1', 'v2'] : ['v1'];
    const anchors = await store.ofOneGeneration((generation) =>
      readAnchors(generation, lease, computedAt, speedTargets, formulas),
    );
    const cards = new Map(
      formulas.map((formula) => [
        formula,
        rankedCards(
          lease.token,
          anchors.map((anchor) => anchor[formula]),
        ),
      ]),
    );
    for (const [formula, made] of cards) {
      await dropOlderRuns(lease, formula);
      await insert(lease, formula, made);
    }
    const run = { run: lease.token, computedAt: new Date(computedAt) };
    const inForce = await inLeasedTransaction(lease, async (session) => {
      const put: [Formula, Runs][] = [];
      for (const formula of formulas)
        put.push([formula, await store.by[formula].putRunInForce(session, run)]);
      if (!answers) await store.by.v2.standStill(session, run.computedAt);
      await store.keepSpeedTargets(session, speedTargets);
      return put;
    });
    for (const [formula, runs] of inForce) deps.onNewRun(formula, runs);
    const ofCorridors = (cards.get('v1') ?? []).filter(({ corridor }) => corridor !== allCorridors);
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

  async function insert(lease: HeldLease, formula: Formula, cards: readonly RankedCard[]): Promise<void> {
    for (let from = 0; from < cards.length; from += chunkSize) {
      lease.signal.throwIfAborted();
      await store.by[formula].cards.insert(cards.slice(from, from + chunkSize));
    }
  }

  async function readAnchors(
    generation: number,
    lease: HeldLease,
    now: number,
    speedTargets: ReadonlyMap<string, number>,
    formulas: readonly Formula[],
  ): Promise<Record<Formula, AnchorCards>[]> {
    const today = utcDay(new Date(now));
    const from = firstDayOf(longestWindow, today);
    const read: Record<Formula, AnchorCards>[] = [];
    for await (const anchor of everyAnchor()) {
      lease.signal.throwIfAborted();
      const rollups = await store.rollups.listOfAnchor(generation, anchor.id, { from });
      const newest = { from, limit: maxAccountDays };
      const accountDays = await store.rollups.listAccountDaysOfAnchor(generation, anchor.id, newest);
      read.push(anchorCards(anchor, rollups, today, speedTargets, accountDays, formulas));
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

  /**
   * Keeps the run in force and the one before it, whose pages are still served by instances that do not know the next run
   * yet. Runs after this one belong to other holders of the lease.
   */
  async function dropOlderRuns(lease: HeldLease, formula: Formula): Promise<void> {
    const { cards, readRuns } = store.by[formula];
    const { current, previous } = await readRuns();
    const kept = [current, previous].flatMap((run) => (run === null ? [] : [run.run]));
    do lease.signal.throwIfAborted();
    while (await cards.dropSomeBefore(lease.token, kept));
  }

  return () => deps.leases.run(refreshLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, refresh);
}
