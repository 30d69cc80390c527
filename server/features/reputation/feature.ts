import type { Connection } from 'mongoose';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { PublicScores } from '../../../contract/schemas/scores.js';
import type { LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { QuoteReputation } from '../rates/answer.rules.js';
import { type AggregationReport, aggregationLease, createAggregator } from './aggregator.js';
import { createCardReader } from './card-reader.js';
import { createPublicScores, type PublicScoresService } from './public-scores.js';
import { createQuoteReputations } from './quote-reputation.js';
import { createRebuild, type Rebuild } from './rebuild.js';
import { createRefresh, type FleetView, refreshLease } from './refresh.js';
import { createReputation, type Reputation, type ReputationDeps } from './service.js';
import { reputationStore } from './store.js';

/** To be seeded at start. */
export const reputationLeases = [aggregationLease, refreshLease] as const;

export interface ReputationFeature {
  reputation: Reputation;
  scores: PublicScoresService;
  /** A job: counts what has changed; wake it by `aggregationWakePipeline`. */
  aggregate(): Promise<LeaseOutcome<AggregationReport>>;
  rebuild: Rebuild['rebuild'];
  /** The record that quotes show: in memory, at most seconds behind the cards. */
  reputationOf(anchorId: string, corridorId: string): QuoteReputation;
  /** Every card of a window, ordered by anchor and corridor. */
  listCards(window: ScoreCard['window']): AsyncIterable<ScoreCard>;
  start(): void;
  stop(): Promise<void>;
}

export interface ReputationFeatureDeps {
  connection: Connection;
  leases: Leases;
  inTransaction: InTransaction;
  fleet: FleetView & { getAnchor: ReputationDeps['getAnchor'] };
  latestBatch: () => Promise<NonNullable<PublicScores['batch']> | null>;
  clock: Clock;
  logger: Logger;
  /** For tests that let leases expire. */
  leaseTtlMs?: number;
}

/** Registers its models on the connection at once, so that their collections can be prepared. */
export function createReputationFeature(deps: ReputationFeatureDeps): ReputationFeature {
  const store = reputationStore(deps.connection);
  const reader = createCardReader({ store, clock: deps.clock });
  const quotes = createQuoteReputations({ reader, logger: deps.logger });
  const aggregator = createAggregator({ ...deps, store });
  const refresher = createRefresh({ ...deps, store, aggregator });
  return {
    reputation: createReputation({
      store,
      reader,
      refresher,
      getAnchor: deps.fleet.getAnchor,
      corridors: deps.fleet.corridors,
      clock: deps.clock,
      onRefresh: quotes.load,
    }),
    scores: createPublicScores({ ...deps, reader }),
    aggregate: aggregator.aggregate,
    rebuild: createRebuild({ ...deps, store }).rebuild,
    reputationOf: quotes.of,
    listCards: reader.listCards,
    start: quotes.start,
    stop: quotes.stop,
  };
}
