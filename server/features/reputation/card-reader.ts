import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Clock } from '../../ports.js';
import { allCorridors, type CardRow } from './card-row.js';
import { idsBelow, type ReputationStore } from './store.js';

/** A run of the refresh whose rows are kept. */
export interface Run {
  run: number;
  computedAt: Date;
}

export interface Runs {
  current: Run | null;
  previous: Run | null;
}

/** Reads the rows of runs. A run's rows never change, so that whatever is made of them may be kept. */
export interface CardReader {
  /** At most a second old; the last known one while the database is away. */
  runs(): Promise<Runs>;
  /** Makes `runs` look again, after a refresh of our own. */
  forget(): void;
  /** A run that is still kept, by its number as a cursor has it; else the one in force. */
  runOf(given: string | undefined): Promise<Run | null>;
  /** A stretch of a ranking by position. */
  ranking(
    run: number,
    window: number,
    corridor: string | null,
    from: number,
    limit: number,
  ): Promise<CardRow[]>;
  /** The anchor's record over all corridors, then its cards by corridor. */
  ofAnchor(run: number, window: number, anchorId: string): Promise<CardRow[]>;
  /** Cards ordered by anchor and corridor, after the one named `anchor corridor`. */
  cards(run: number, window: number, after: string | null, limit: number): Promise<ScoreCard[]>;
  /** Every card of the run in force, ordered by anchor and corridor. Throws when that run is dropped meanwhile. */
  listCards(window: ScoreCard['window']): AsyncGenerator<ScoreCard>;
}

const knownForMs = 1_000;
const pageSize = 500;

export function createCardReader({ store, clock }: { store: ReputationStore; clock: Clock }): CardReader {
  let known: { runs: Runs; at: number } | undefined;
  let underWay: Promise<Runs> | undefined;

  async function runs(): Promise<Runs> {
    if (known !== undefined && clock() - known.at < knownForMs) return known.runs;
    underWay ??= load();
    return underWay;
  }

  function load(): Promise<Runs> {
    const at = clock();
    const reading: Promise<Runs> = readRuns(store).then(
      (read) => {
        // One that was forgotten meanwhile may have read what is no longer so.
        if (underWay === reading) known = { runs: read, at };
        return read;
      },
      (error: unknown) => {
        if (known === undefined || !isMongoUnavailable(error)) throw error;
        known = { ...known, at: clock() };
        return known.runs;
      },
    );
    const done = () => {
      if (underWay === reading) underWay = undefined;
    };
    reading.then(done, done);
    return reading;
  }

  function cards(run: number, window: number, after: string | null, limit: number): Promise<ScoreCard[]> {
    const all = idsBelow(`${run} ${window}`);
    return store.cards
      .find({
        _id: { $gt: after === null ? all.$gte : `${all.$gte}${after}`, $lt: all.$lt },
        corridor: { $ne: allCorridors },
      })
      .sort({ _id: 1 })
      .limit(limit)
      .lean()
      .then((rows) => rows.map(({ record }) => record as ScoreCard));
  }

  return {
    runs,
    forget() {
      if (known !== undefined) known = { ...known, at: Number.NEGATIVE_INFINITY };
      underWay = undefined;
    },
    async runOf(given) {
      const { current, previous } = await runs();
      return previous !== null && String(previous.run) === given ? previous : current;
    },
    ranking: (run, window, corridor, from, limit) =>
      store.cards
        .find({ run, window, corridor: corridor ?? allCorridors, position: { $gte: from } })
        .sort({ position: 1 })
        .limit(limit)
        .lean(),
    ofAnchor: (run, window, anchorId) =>
      store.cards
        .find({ _id: idsBelow(`${run} ${window} ${anchorId}`) })
        .sort({ _id: 1 })
        .lean(),
    cards,
    async *listCards(window) {
      const { current } = await readRuns(store);
      if (current === null) return;
      let after: string | null = null;
      for (;;) {
        const page: ScoreCard[] = await cards(current.run, window, after, pageSize);
        yield* page;
        const last = page.at(-1);
        if (last === undefined) break;
        after = `${last.anchorId} ${last.corridor}`;
      }
      const kept = await readRuns(store);
      if (kept.current?.run !== current.run && kept.previous?.run !== current.run)
        throw new Error('the cards were replaced twice while they were read');
    },
  };
}

async function readRuns(store: ReputationStore): Promise<Runs> {
  const state = await store.state.findById('cards').lean();
  return {
    current: toRun(state?.run, state?.computedAt),
    previous: toRun(state?.previousRun, state?.previousComputedAt),
  };
}

function toRun(run: number | null | undefined, computedAt: Date | null | undefined): Run | null {
  return run == null || computedAt == null ? null : { run, computedAt };
}
