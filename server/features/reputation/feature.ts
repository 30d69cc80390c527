import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { Announce } from '../../cache/changes.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { QuoteReputation } from '../rates/record.rules.js';
import { type Aggregator, aggregationLease, createAggregator, type PendingIntents } from './aggregator.js';
import { type CardReader, createCardReader } from './card-reader.js';
import { createQuoteReputations } from './quote-reputation.js';
import { createRefresh, type FleetView, type Refresh, refreshLease } from './refresh.js';
import { createReputationRouter } from './router.js';
import { createReputationService, type ReputationService, type ReputationServiceDeps } from './service.js';
import { standingOf } from './standing.rules.js';
import type { ReputationStore } from './store.js';
import { createTrueEffects, type TrueEffects, type TrueEffectsDeps } from './true-effects.js';

/** To be seeded at start. */
export const reputationLeases = [aggregationLease, refreshLease] as const;

export interface Reputation {
  router: ReturnType<typeof createReputationRouter>;
  service: ReputationService;
  /** A job: counts what has changed. Wake it when an intent becomes pending. */
  aggregate: Aggregator['aggregate'];
  /** A job: recomputes the scores. */
  refresh: Refresh;
  /** A job of every instance: keeps `reputationOf` up to date. */
  loadQuoteReputations(): Promise<void>;
  /** The record that quotes show: in memory, at most seconds behind the cards. */
  reputationOf(anchorId: string, corridorId: string): QuoteReputation;
  /** Whether and why an intent's outcome counts. */
  standingOf: typeof standingOf;
  /** What verdicts on disputes change. */
  trueEffects: TrueEffects;
  /** Every card of a window, by anchor and corridor. */
  listEveryCard(window: ScoreCard['window']): AsyncIterable<ScoreCard>;
  /** The run whose cards a page shows: the one that its cursor names, or the one in force. */
  runOf: CardReader['runOf'];
  /** A page of a run's cards. */
  listCards: ReputationStore['cards']['listCards'];
}

export interface ReputationDeps {
  store: ReputationStore;
  intents: PendingIntents & TrueEffectsDeps['intents'];
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  fleet: FleetView & { getAnchor: ReputationServiceDeps['getAnchor'] };
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  announce: Announce;
  clock: Clock;
  logger: Logger;
  leaseTtlMs?: number;
  batchSize?: number;
}

export function createReputationFeature(deps: ReputationDeps): Reputation {
  const { fleet } = deps;
  const reader = createCardReader(deps);
  const quotes = createQuoteReputations({ reader, clock: deps.clock });
  const aggregator = createAggregator(deps);
  const refreshCards = createRefresh({ ...deps, aggregator, onNewRun: reader.setRuns });
  const service = createReputationService({
    ...deps,
    reader,
    refresh,
    getAnchor: fleet.getAnchor,
    corridors: fleet.corridors,
  });

  async function refresh(): ReturnType<Refresh> {
    const run = await refreshCards();
    if (run.ran) {
      service.forgetHistories();
      deps.announce('scores');
      await quotes.load();
    }
    return run;
  }

  return {
    router: createReputationRouter({ service, publicCache: deps.publicCache }),
    service,
    aggregate: aggregator.aggregate,
    refresh,
    loadQuoteReputations: quotes.load,
    reputationOf: quotes.of,
    standingOf,
    trueEffects: createTrueEffects(deps),
    listEveryCard: reader.listEveryCard,
    runOf: reader.runOf,
    listCards: deps.store.cards.listCards,
  };
}
