import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import type {
  AnchorReputation,
  LeaderboardAnswer,
  LeaderboardEntry,
  RefreshAnswer,
  ReputationHistory,
} from '../../../contract/schemas/reputation.js';
import type { PublishedCard, ScoreCard } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { readCursor, readLimit, unknownCursor, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { anchorRecord, firstDayOf, recordWithoutPlace } from './card.rules.js';
import type { CardReader } from './card-reader.js';
import { emptyTally, type Rollup } from './counters.rules.js';
import type { LeadingFormula } from './formula-setting.js';
import type { Run, Runs } from './formula-store.js';
import { historyPoints } from './history.rules.js';
import type { RankedCard } from './ranking.rules.js';
import type { FleetView, Refresh } from './refresh.js';
import { noSigns, withSigns } from './signs.rules.js';
import type { ReputationStore } from './store.js';

type Window = ScoreCard['window'];

interface PageQuery {
  limit: string | undefined;
  cursor: string | undefined;
}

export interface HistoryQuery extends PageQuery {
  anchorId: string;
  corridor: string | null;
  window: Window;
  formula?: Formula | undefined;
}

type NamedAnchor = Pick<AnchorAnswer, 'id' | 'name' | 'simulated' | 'status'>;

/** If `formula` is undefined, the leading formula is used. */
export interface ReputationService {
  /** Throws UNSUPPORTED_PAIR for a corridor that is neither served nor has a record. */
  getLeaderboard(query: Omit<HistoryQuery, 'anchorId'>): Promise<LeaderboardAnswer>;
  /** Throws UNKNOWN_ANCHOR. */
  getReputation(anchorId: string, window: Window, formula?: Formula): Promise<AnchorReputation>;
  /** Daily points, newest first, from the roll-ups as they are now. Throws UNKNOWN_ANCHOR, UNSUPPORTED_PAIR. */
  getHistory(query: HistoryQuery): Promise<ReputationHistory>;
  /** Recomputes the scores. Throws RUN_IN_PROGRESS while another instance does. */
  refreshNow(): Promise<RefreshAnswer>;
  /** Drops the cached histories, for use after a refresh of this instance. Otherwise they are cached for 30 seconds. */
  forgetHistories(): void;
}

export interface ReputationServiceDeps {
  store: ReputationStore;
  readers: Record<Formula, Pick<CardReader, 'runs' | 'runOf'>>;
  leading: LeadingFormula;
  refresh: Refresh;
  /** Throws UNKNOWN_ANCHOR. */
  getAnchor: (anchorId: string) => Promise<NamedAnchor>;
  corridors: FleetView['corridors'];
  clock: Clock;
}

const historyFreshMs = 30_000;
const wholeNumber = /^(0|[1-9]\d{0,14})$/;
const boardPlace = [/^v[12]$/, wholeNumber, wholeNumber];
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

export function createReputationService(deps: ReputationServiceDeps): ReputationService {
  const { store, readers, leading, refresh, getAnchor, clock } = deps;
  // Answers of a run never change, so each is made once; the bytes of its response are kept with the object.
  const kept = { freshMs: Number.POSITIVE_INFINITY, clock };
  const leaderboards = createCache<LeaderboardPage, LeaderboardAnswer>({
    ...kept,
    load: makeLeaderboard,
    keyOf: ({ formula, runs, run, list, from, limit }) =>
      [formula, run.run, stillOf(runs), ...list, from, limit].join(' '),
  });
  const records = createCache<RecordQuestion, AnchorReputation>({
    ...kept,
    load: makeRecord,
    keyOf: ({ formula, runs, anchor, window }) =>
      [formula, runs.current?.run, stillOf(runs), anchor.id, window, anchor.status, anchor.name].join(' '),
  });
  const histories = createCache<HistoryQuery & { formula: Formula }, ReputationHistory>({
    load: makeHistory,
    keyOf: ({ formula, anchorId, corridor, window, limit, cursor }) =>
      [formula, anchorId, corridor, window, limit, cursor].join(' '),
    freshMs: historyFreshMs,
    clock,
  });

  async function makeLeaderboard(page: LeaderboardPage): Promise<LeaderboardAnswer> {
    const { formula, runs, run, corridor, window, list, from, limit } = page;
    const query = { window, corridor, from, limit: limit + 1 };
    const cards = await store.by[formula].cards.listRanking(run.run, query);
    return {
      corridor,
      window,
      formula,
      computedAt: toInstant(run.computedAt.getTime()),
      standsStillSince: stillOf(runs),
      items: cards.slice(0, limit).map(toEntry),
      nextCursor: cards.length > limit ? writeCursor(list, [formula, run.run, from + limit]) : null,
    };
  }

  async function makeRecord({ formula, runs, anchor, window }: RecordQuestion): Promise<AnchorReputation> {
    const { id: anchorId, name: anchorName, simulated, status } = anchor;
    const run = runs.current;
    const listed = store.by[formula].cards;
    const cards = run === null ? [] : await listed.listOfAnchor(run.run, window, anchorId);
    const [own, ...corridors] = cards;
    return {
      anchorId,
      anchorName,
      simulated,
      status,
      window,
      formula,
      computedAt: run === null ? null : toInstant(run.computedAt.getTime()),
      standsStillSince: stillOf(runs),
      ...(own?.record ?? anchorRecord(emptyTally(), [])),
      ...noSigns,
      ...own?.signs,
      corridors: corridors.map(({ record, signs }) => withSigns(record as PublishedCard, signs)),
    };
  }

  async function makeHistory(query: HistoryQuery & { formula: Formula }): Promise<ReputationHistory> {
    const { anchorId, corridor, window, formula } = query;
    const list = ['history', anchorId, corridor ?? '*', String(window)];
    const [before = null] = readCursor(query.cursor, list, [dayPattern]) ?? [];
    const limit = readLimit(query.limit);
    await getAnchor(anchorId);
    const { days, rollups } = await store.ofOneGeneration((generation) =>
      readHistory(generation, { anchorId, corridor, window, before, limit }),
    );
    const shown = days.slice(0, limit);
    const oldest = shown.at(-1);
    if (oldest === undefined) {
      refuseUnknown(corridor);
      return { anchorId, corridor, window, formula, items: [], nextCursor: null };
    }
    const speedTargets = await store.speedTargets(deps.corridors());
    return {
      anchorId,
      corridor,
      window,
      formula,
      items: historyPoints(shown, rollups, window, speedTargets, formula),
      nextCursor: days.length > limit ? writeCursor(list, [oldest]) : null,
    };
  }

  /** The days of a page, with one more if there is another page, and the roll-ups of their windows. */
  async function readHistory(
    generation: number,
    page: Pick<HistoryQuery, 'anchorId' | 'corridor' | 'window'> & { before: string | null; limit: number },
  ): Promise<{ days: string[]; rollups: Rollup[] }> {
    const { anchorId, corridor, window, before, limit } = page;
    const known = { corridor, before, limit: limit + 1 };
    const days = await store.rollups.listDaysWithOutcomes(generation, anchorId, known);
    const [newest, oldest] = [days[0], days.slice(0, limit).at(-1)];
    if (newest === undefined || oldest === undefined) return { days, rollups: [] };
    const range = { from: firstDayOf(window, oldest), to: newest, corridor };
    return { days, rollups: await store.rollups.listOfAnchor(generation, anchorId, range) };
  }

  /** For a corridor without a record: throws UNSUPPORTED_PAIR if it is not served either. */
  function refuseUnknown(corridor: string | null): void {
    if (corridor === null || deps.corridors().some(({ id }) => id === corridor)) return;
    throw unsupportedPair('query.corridor', 'is not a corridor that is served');
  }

  return {
    async getLeaderboard({ corridor, window, formula: asked, ...page }) {
      const list = ['leaderboard', corridor ?? '*', String(window)];
      const [begunWith, givenRun, from = '0'] = readCursor(page.cursor, list, boardPlace) ?? [];
      // Pages that follow by cursor use the formula of the first page, even if another leads meanwhile.
      const formula = asked ?? (begunWith as Formula | undefined) ?? (await leading());
      if (begunWith !== undefined && begunWith !== formula) throw unknownCursor();
      const limit = readLimit(page.limit);
      const [run, runs] = [await readers[formula].runOf(givenRun), await readers[formula].runs()];
      if (run === null) {
        refuseUnknown(corridor);
        const none = { computedAt: null, standsStillSince: null, items: [], nextCursor: null };
        return { corridor, window, formula, ...none };
      }
      const place = { corridor, window, list, from: Number(from), limit };
      const answer = await leaderboards.get({ formula, runs, run, ...place });
      if (answer.items.length === 0) refuseUnknown(corridor);
      return answer;
    },

    async getReputation(anchorId, window, asked) {
      const anchor = await getAnchor(anchorId);
      const formula = asked ?? (await leading());
      return records.get({ formula, runs: await readers[formula].runs(), anchor, window });
    },

    async getHistory(query) {
      return histories.get({ ...query, formula: query.formula ?? (await leading()) });
    },

    async refreshNow() {
      const run = await refresh();
      if (run.ran) return run.value;
      throw new ApiError('RUN_IN_PROGRESS', 'Another refresh is running.', { startedAt: run.startedAt });
    },

    forgetHistories() {
      histories.clear();
    },
  };
}

interface LeaderboardPage {
  formula: Formula;
  runs: Runs;
  run: Run;
  corridor: string | null;
  window: Window;
  /** The list that its cursors belong to. */
  list: string[];
  /** Position of its first entry. */
  from: number;
  limit: number;
}

interface RecordQuestion {
  formula: Formula;
  runs: Runs;
  anchor: NamedAnchor;
  window: Window;
}

function stillOf({ standsStillSince }: Runs): string | null {
  return standsStillSince === null ? null : toInstant(standsStillSince.getTime());
}

function toEntry(card: RankedCard): LeaderboardEntry {
  const { rank, anchorId, anchorName, simulated, record, signs, scoredCorridors } = card;
  return {
    rank,
    anchorId,
    anchorName,
    simulated,
    ...recordWithoutPlace(record),
    ...noSigns,
    ...signs,
    scoredCorridors,
  };
}
