import type { PublishedCard, ScoreCard } from '../../../contract/schemas/score-card.js';
import { createCache } from '../../cache/cache.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Clock } from '../../ports.js';
import type { FormulaStore, Run, Runs } from './formula-store.js';

/** Reads the cards of runs by one formula. The cards of a run never change, so anything computed from them may be cached. */
export interface CardReader {
  /** The runs whose cards are stored, at most a second old; the last known ones while the database is unavailable. */
  runs(): Promise<Runs>;
  /** Replaces the known runs after a refresh of this instance has put one in force. */
  setRuns(runs: Runs): void;
  /** The run that a cursor names by number, if its cards are still kept; else the one in force. */
  runOf(given: string | undefined): Promise<Run | null>;
  /** Every card of the run in force, by anchor and corridor. Throws if that run is dropped meanwhile. */
  listEveryCard(window: ScoreCard['window']): AsyncGenerator<PublishedCard>;
}

export const runsFreshMs = 1_000;

export function createCardReader(deps: { store: FormulaStore; clock: Clock }): CardReader {
  const { store, clock } = deps;
  const runs = createCache<void, Runs>({
    async load(_question, lastKnown) {
      try {
        return await store.readRuns();
      } catch (error) {
        if (lastKnown === undefined || !isMongoUnavailable(error)) throw error;
        return lastKnown;
      }
    },
    freshMs: runsFreshMs,
    clock,
  });

  return {
    runs: () => runs.get(),
    setRuns(known) {
      runs.seed(undefined, known, clock());
    },
    async runOf(given) {
      const { current, previous } = await runs.get();
      return previous !== null && String(previous.run) === given ? previous : current;
    },
    async *listEveryCard(window) {
      const { current } = await store.readRuns();
      if (current === null) return;
      yield* store.cards.everyCard(current.run, window);
      const kept = await store.readRuns();
      if (kept.current?.run !== current.run && kept.previous?.run !== current.run)
        throw new Error('the cards were replaced twice while they were read');
    },
  };
}
