import type { PublishedCard, ScoreCard } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { QuoteReputation } from '../rates/worth.rules.js';
import { type Aggregator, aggregationLease, createAggregator, type PendingIntents } from './aggregator.js';
import { type CardReader, createCardReader } from './card-reader.js';
import { createLeadingFormula, type LeadingFormula } from './formula-setting.js';
import type { FormulaStore, Runs } from './formula-store.js';
import { standingOf } from './outcome-standing.rules.js';
import { createQuoteReputations } from './quote-reputation.js';
import { createRefresh, type FleetView, type LedgerView, type Refresh, refreshLease } from './refresh.js';
import { createReputationRouter } from './router.js';
import { createReputationService, type ReputationService, type ReputationServiceDeps } from './service.js';
import type { ReputationStore } from './store.js';
import { createTrueEffects, type TrueEffects, type TrueEffectsDeps } from './true-effects.js';

/** Leases to seed at startup. */
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
  /** The record that quotes contain, read from memory; at most seconds behind the cards. */
  reputationOf(anchorId: string, corridorId: string): QuoteReputation;
  /** Whether and why an intent's outcome counts. */
  standingOf: typeof standingOf;
  /** Determines what verdicts on disputes change. */
  trueEffects: TrueEffects;
  /** The formula that is used if a request names none. */
  leadingFormula: LeadingFormula;
  /** The cards by each formula. */
  by: Record<Formula, PublishedCards>;
}

export interface PublishedCards {
  /** Every card of a window, by anchor and corridor. */
  listEveryCard(window: ScoreCard['window']): AsyncIterable<PublishedCard>;
  /** The runs whose cards are kept. */
  runs: CardReader['runs'];
  /** The run whose cards a page shows: the one that its cursor names, or the one in force. */
  runOf: CardReader['runOf'];
  /** A page of a run's cards. */
  listCards: FormulaStore['cards']['listCards'];
  /** Every card of a run. */
  everyCard: FormulaStore['cards']['everyCard'];
}

export interface ReputationDeps {
  store: ReputationStore;
  intents: PendingIntents & TrueEffectsDeps['intents'];
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  fleet: FleetView & { getAnchor: ReputationServiceDeps['getAnchor'] };
  ledger: LedgerView;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  clock: Clock;
  logger: Logger;
  leaseTtlMs?: number;
  batchSize?: number;
}

export function createReputationFeature(deps: ReputationDeps): Reputation {
  const { fleet } = deps;
  const { store, clock } = deps;
  const readers = {
    v1: createCardReader({ store: store.by.v1, clock }),
    v2: createCardReader({ store: store.by.v2, clock }),
  };
  const leading = createLeadingFormula(deps);
  const quotes = createQuoteReputations({ readers, leading, clock });
  const aggregator = createAggregator(deps);
  const onNewRun = (formula: Formula, runs: Runs) => readers[formula].setRuns(runs);
  const refreshCards = createRefresh({ ...deps, aggregator, onNewRun });
  const service = createReputationService({
    ...deps,
    readers,
    leading,
    refresh,
    getAnchor: fleet.getAnchor,
    corridors: fleet.corridors,
  });

  function cardsOf(formula: Formula): Pick<PublishedCards, 'listCards' | 'everyCard'> {
    const { listCards, everyCard } = store.by[formula].cards;
    return { listCards, everyCard };
  }

  async function refresh(): ReturnType<Refresh> {
    const run = await refreshCards();
    if (run.ran) {
      service.forgetHistories();
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
    leadingFormula: leading,
    by: {
      v1: { ...readers.v1, ...cardsOf('v1') },
      v2: { ...readers.v2, ...cardsOf('v2') },
    },
  };
}
