import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { createCards, publishedCards } from './cards.js';
import { createStandings } from './count-days.js';
import { createRefresh, type FleetView, type Refresh, type RefreshDeps, refreshLease } from './refresh.js';
import { createReputationRouter } from './router.js';
import { createReputationService, type ReputationServiceDeps } from './service.js';

/** Leases to seed at startup. */
export const reputationLeases = [refreshLease] as const;

export interface ReputationDeps extends Omit<RefreshDeps, 'evidence' | 'inLeasedTransaction'> {
  inTransaction: InTransaction;
  fleet: FleetView & { getAnchor: ReputationServiceDeps['getAnchor'] };
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export function createReputationFeature(deps: ReputationDeps) {
  const { fleet, ledger } = deps;
  const evidence = ledger === null ? 'anchor' : 'ledger';
  const cards = createCards({ ...deps, store: deps.cards });
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const refreshCards = createRefresh({ ...deps, evidence, inLeasedTransaction });

  async function refresh(): ReturnType<Refresh> {
    const run = await refreshCards();
    if (run.ran) await cards.reload();
    return run;
  }

  const { getAnchor, corridors } = fleet;
  const service = createReputationService({ ...deps, cards, refresh, evidence, getAnchor, corridors });
  return {
    router: createReputationRouter({ service, publicCache: deps.publicCache }),
    service,
    /** A job: counts what has changed and recomputes the scores. */
    refresh,
    /** A job of every instance: keeps `reputationOf` up to date. */
    async loadCards(): Promise<void> {
      await cards.current();
    },
    reputationOf: cards.reputationOf,
    ...createStandings({ ...deps, evidence }),
    /** The cards that are published, by anchor and corridor, and of when they are. */
    async publishedCards() {
      const held = await cards.current();
      const { computedAt, standsStillSince } = held.state;
      return { cards: publishedCards(held), computedAt, standsStillSince };
    },
  };
}
