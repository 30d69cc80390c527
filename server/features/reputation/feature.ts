import { initServer } from '@ts-rest/express';
import { reputationContract } from '../../../contract/endpoints/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { freshAnswer } from '../../http/send-json.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { PageQuery } from '../../paging.js';
import { createCards, publishedCards } from './cards.js';
import { createStandings } from './count-days.js';
import { createRefresh, type FleetView, type Refresh, type RefreshDeps, refreshLease } from './refresh.js';
import { createReputationService, type ReputationService, type ReputationServiceDeps } from './service.js';

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
  const cards = createCards({ store: deps.cards, clock: deps.clock });
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
    router: createReputationRouter(service, deps.publicCache),
    service,
    /** A job: counts what has changed and recomputes the scores. */
    refresh,
    /** A job of every instance: keeps `reputationOf` up to date. */
    loadCards: async () => void (await cards.current()),
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

/** Scores change when they are refreshed, every few minutes. */
const freshSeconds = 10;

function createReputationRouter(service: ReputationService, publicCache: boolean) {
  const freshness = { seconds: freshSeconds, public: publicCache };
  return initServer().router(reputationContract, {
    getLeaderboard: async ({ query, res }) =>
      freshAnswer(res, freshness, await service.getLeaderboard(toRanking(query))),
    refreshReputation: async () => ({ status: 200, body: await service.refreshNow() }),
    getReputation: async ({ params, query, res }) =>
      freshAnswer(res, freshness, await service.getReputation(params.anchor, toWindow(query.window))),
    getReputationHistory: async ({ params, query, res }) =>
      freshAnswer(res, freshness, await service.getHistory({ ...toRanking(query), anchorId: params.anchor })),
  });
}

type AskedWindow = `${ScoreCard['window']}` | undefined;

function toRanking(query: PageQuery & { corridor?: string | undefined; window?: AskedWindow }) {
  return { ...query, corridor: query.corridor ?? null, window: toWindow(query.window) };
}

function toWindow(text: AskedWindow): ScoreCard['window'] {
  return text === undefined ? 30 : (Number(text) as ScoreCard['window']);
}
