import type { AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { RefreshAnswer } from '../../../contract/schemas/reputation.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { utcDay } from '../../outcome-days.rules.js';
import { toInstant } from '../../ports.js';
import { type AnchorCards, anchorCards, firstDayOf, longestWindow } from './card.rules.js';
import type { CardState, CardStore } from './card-store.js';
import { type CountDaysDeps, countDays, markEveryDay } from './count-days.js';

export const refreshLease = 'reputation-refresh';

/** The fleet as refresh needs it: every anchor that is or was in it, by id, and the corridors of today. */
export interface FleetView {
  everyAnchor(): Promise<AnchorSummary[]>;
  corridors(): readonly { id: string; speedTargetSeconds: number }[];
}

/** The state of the ledger; null if none is configured, so that the word of the anchors is taken. */
export type LedgerView = {
  /** Whether the ledger does not answer: nothing can be verified then. */
  isAway(): Promise<boolean>;
} | null;

/** By corridor: those of the fleet, and the last known ones of corridors that have left it. */
export function speedTargetsOf({ speedTargets }: CardState, { corridors }: FleetView): Map<string, number> {
  const ofFleet = corridors().map(({ id, speedTargetSeconds }) => [id, speedTargetSeconds] as const);
  return new Map([...Object.entries(speedTargets), ...ofFleet]);
}

/** Counts the marked days anew, then computes every card and puts all of them in force together. */
export type Refresh = () => Promise<LeaseOutcome<RefreshAnswer>>;

export interface RefreshDeps extends CountDaysDeps {
  cards: CardStore;
  ledger: LedgerView;
  fleet: FleetView;
  leases: Pick<Leases, 'run'>;
  leaseTtlMs?: number;
}

const defaultLeaseTtlMs = 10_000;

export function createRefresh(deps: RefreshDeps): Refresh {
  const { rollups, cards, evidence, ledger, fleet, inLeasedTransaction, clock, logger } = deps;

  async function refresh(lease: HeldLease): Promise<RefreshAnswer> {
    const startedAt = clock();
    const before = await recountBy(lease, await cards.readState());
    const counted = await countDays(deps, lease);
    lease.signal.throwIfAborted();
    const computedAt = clock();
    // Windows would move on while nothing can be verified, and scores fall for a fault that is not the anchors'.
    const standsStill = before.run !== null && ledger !== null && (await ledger.isAway());
    const made = standsStill ? [] : await replaceCards(lease, before, computedAt);
    if (standsStill) await standStill(lease, before, computedAt);
    const ofCorridors = made.flatMap(({ windows }) => windows.flatMap((window) => window.cards));
    const answer = {
      startedAt: toInstant(startedAt),
      computedAt: toInstant(standsStill ? (before.computedAt?.getTime() ?? computedAt) : computedAt),
      ...counted,
      anchors: made.length,
      cards: ofCorridors.length,
      scored: ofCorridors.filter(({ card }) => card.score !== null).length,
      durationMs: clock() - startedAt,
    };
    logger.info(answer, 'reputation refreshed');
    return answer;
  }

  /** Where a ledger was configured or taken away, other outcomes count: every day is counted anew. */
  async function recountBy(lease: HeldLease, state: CardState): Promise<CardState> {
    if (state.evidence === evidence) return state;
    if (state.evidence !== null) await markEveryDay(deps);
    await inLeasedTransaction(lease, (session) => cards.changeState(session, { evidence }));
    return { ...state, evidence };
  }

  async function replaceCards(lease: HeldLease, before: CardState, now: number): Promise<AnchorCards[]> {
    const speedTargets = speedTargetsOf(before, fleet);
    const today = utcDay(new Date(now));
    const from = firstDayOf(longestWindow, today);
    const made: AnchorCards[] = [];
    for (const anchor of await fleet.everyAnchor()) {
      lease.signal.throwIfAborted();
      const ofAnchor = await rollups.listOfAnchor(anchor.id, { from });
      made.push(anchorCards(anchor, ofAnchor, today, { evidence, speedTargets }));
    }
    await inLeasedTransaction(lease, async (session) => {
      await cards.replaceCards(session, lease.token, made);
      await cards.changeState(session, {
        run: lease.token,
        computedAt: new Date(now),
        standsStillSince: null,
        speedTargets: Object.fromEntries(speedTargets),
      });
    });
    return made;
  }

  async function standStill(lease: HeldLease, before: CardState, now: number): Promise<void> {
    const standsStillSince = before.standsStillSince ?? new Date(now);
    await inLeasedTransaction(lease, (session) => cards.changeState(session, { standsStillSince }));
  }

  return () => deps.leases.run(refreshLease, deps.leaseTtlMs ?? defaultLeaseTtlMs, refresh);
}
