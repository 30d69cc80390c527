import { initServer } from '@ts-rest/express';
import { reputationContract } from '../../../contract/endpoints/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { resultOf } from '../../errors.js';
import { freshAnswer } from '../../http/send-json.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { PageQuery } from '../../paging.js';
import { createCards } from './cards.js';
import { createStandings } from './count-days.js';
import { createRefresh, type Refresh, type RefreshDeps, refreshLease } from './refresh.js';
import { createReputationService, type ReputationService, type ReputationServiceDeps } from './service.js';

/** Leases to seed at startup. */
export const reputationLeases = [refreshLease] as const;

export interface ReputationDeps extends Omit<RefreshDeps, 'evidence' | 'inLeasedTransaction'> {
  inTransaction: InTransaction;
  fleet: ReputationServiceDeps['fleet'];
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export function createReputationFeature(deps: ReputationDeps) {
  const evidence = deps.ledger === null ? 'anchor' : 'ledger';
  const cards = createCards({ store: deps.cards, clock: deps.clock });
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const refreshCards = createRefresh({ ...deps, evidence, inLeasedTransaction });

  async function refresh(): ReturnType<Refresh> {
    const run = await refreshCards();
    if (run.ran) await cards.reload();
    return run;
  }

  const service = createReputationService({ ...deps, cards, evidence });
  return {
    router: createReputationRouter(service, refresh, deps.publicCache),
    service,
    /** A job: counts what has changed and recomputes the scores. */
    refresh,
    /** A job of every instance: keeps `reputationOf` up to date. */
    loadCards: async () => void (await cards.current()),
    reputationOf: cards.reputationOf,
    publishedCards: cards.publishedCards,
    ...createStandings({ ...deps, evidence }),
  };
}

/** Scores change when they are refreshed, every few minutes. */
const freshSeconds = 10;

function createReputationRouter(service: ReputationService, refresh: Refresh, publicCache: boolean) {
  const freshness = { seconds: freshSeconds, public: publicCache };
  return initServer().router(reputationContract, {
    getLeaderboard: async ({ query, res }) =>
      freshAnswer(res, freshness, await service.getLeaderboard(toRanking(query))),
    refreshReputation: async () => ({ status: 200, body: resultOf(await refresh()) }),
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
