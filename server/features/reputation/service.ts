import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import type {
  AnchorReputation,
  LeaderboardAnswer,
  LeaderboardEntry,
  RefreshAnswer,
  ReputationHistory,
} from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { createCache, lasting } from '../../cache/cache.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { anchorRecord, firstDayOf, recordWithoutPlace } from './card.rules.js';
import type { CardReader } from './card-reader.js';
import { emptyTally } from './counters.rules.js';
import { historyPoints } from './history.rules.js';
import type { RankedCard } from './ranking.rules.js';
import type { FleetView, Refresh } from './refresh.js';
import { noSigns, withSigns } from './signs.rules.js';
import type { ReputationStore, Run } from './store.js';

type Window = ScoreCard['window'];

interface PageQuery {
  limit: string | undefined;
  cursor: string | undefined;
}

export interface HistoryQuery extends PageQuery {
  anchorId: string;
  corridor: string | null;
  window: Window;
}

type NamedAnchor = Pick<AnchorAnswer, 'id' | 'name' | 'simulated' | 'status'>;

export interface ReputationService {
  /** Throws UNSUPPORTED_PAIR for a corridor that is neither served nor has a record. */
  getLeaderboard(query: PageQuery & { corridor: string | null; window: Window }): Promise<LeaderboardAnswer>;
  /** Throws UNKNOWN_ANCHOR. */
  getReputation(anchorId: string, window: Window): Promise<AnchorReputation>;
  /** Daily points, newest first, from the roll-ups as they are now. Throws UNKNOWN_ANCHOR, UNSUPPORTED_PAIR. */
  getHistory(query: HistoryQuery): Promise<ReputationHistory>;
  /** Recomputes the scores. Throws RUN_IN_PROGRESS while another instance does. */
  refreshNow(): Promise<RefreshAnswer>;
  /** To be called after a refresh of this instance: histories are otherwise kept for half a minute. */
  forgetHistories(): void;
}

export interface ReputationServiceDeps {
  store: ReputationStore;
  reader: Pick<CardReader, 'runs' | 'runOf'>;
  refresh: Refresh;
  /** Throws UNKNOWN_ANCHOR. */
  getAnchor: (anchorId: string) => Promise<NamedAnchor>;
  corridors: FleetView['corridors'];
  clock: Clock;
}

const bytesPerEntry = 500;
const maxKeptBytes = 15_000_000;
const historyFreshMs = 30_000;
const wholeNumber = /^(0|[1-9]\d{0,14})$/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

export function createReputationService(deps: ReputationServiceDeps): ReputationService {
  const { store, reader, refresh, getAnchor, clock } = deps;
  // Answers of a run never change, so each is made once; the bytes of its response are kept with the object.
  const kept = {
    lifetimeOf: lasting({ freshMs: Number.POSITIVE_INFINITY }),
    maxBytes: maxKeptBytes,
    clock,
  };
  const leaderboards = createCache<LeaderboardPage, LeaderboardAnswer>({
    ...kept,
    load: makeLeaderboard,
    keyOf: ({ run, list, from, limit }) => [run.run, ...list, from, limit].join(' '),
    bytesOf: ({ items }) => bytesPerEntry * (1 + items.length),
  });
  const records = createCache<RecordQuestion, AnchorReputation>({
    ...kept,
    load: makeRecord,
    keyOf: ({ run, anchor, window }) => [run?.run, anchor.id, window, anchor.status, anchor.name].join(' '),
    bytesOf: ({ corridors }) => bytesPerEntry * (1 + corridors.length),
  });
  let historyVersion = 0;
  const histories = createCache<HistoryQuery, ReputationHistory>({
    load: makeHistory,
    keyOf: ({ anchorId, corridor, window, limit, cursor }) =>
      [anchorId, corridor, window, limit, cursor].join(' '),
    lifetimeOf: lasting({ freshMs: historyFreshMs }),
    versionOf: () => historyVersion,
    bytesOf: ({ items }) => bytesPerEntry * (1 + items.length),
    maxBytes: maxKeptBytes,
    clock,
  });

  async function makeLeaderboard(page: LeaderboardPage): Promise<LeaderboardAnswer> {
    const { run, corridor, window, list, from, limit } = page;
    const query = { window, corridor, from, limit: limit + 1 };
    const cards = await store.cards.listRanking(run.run, query);
    return {
      corridor,
      window,
      computedAt: toInstant(run.computedAt.getTime()),
      items: cards.slice(0, limit).map(toEntry),
      nextCursor: cards.length > limit ? writeCursor(list, [run.run, from + limit]) : null,
    };
  }

  async function makeRecord({ run, anchor, window }: RecordQuestion): Promise<AnchorReputation> {
    const { id: anchorId, name: anchorName, simulated, status } = anchor;
    const cards = run === null ? [] : await store.cards.listOfAnchor(run.run, window, anchorId);
    const [own, ...corridors] = cards;
    return {
      anchorId,
      anchorName,
      simulated,
      status,
      window,
      computedAt: run === null ? null : toInstant(run.computedAt.getTime()),
      ...(own?.record ?? anchorRecord(emptyTally(), [])),
      ...(own?.signs ?? noSigns),
      corridors: corridors.map(({ record, signs = noSigns }) => withSigns(record as ScoreCard, signs)),
    };
  }

  async function makeHistory(query: HistoryQuery): Promise<ReputationHistory> {
    const { anchorId, corridor, window } = query;
    const list = ['history', anchorId, corridor ?? '*', String(window)];
    const [before = null] = readCursor(query.cursor, list, [dayPattern]) ?? [];
    const limit = readLimit(query.limit);
    await getAnchor(anchorId);
    const generation = await store.currentGeneration();
    const known = { corridor, before, limit: limit + 1 };
    const days = await store.rollups.listDaysWithOutcomes(generation, anchorId, known);
    const shown = days.slice(0, limit);
    const [newest, oldest] = [shown[0], shown.at(-1)];
    if (newest === undefined || oldest === undefined) {
      refuseUnknown(corridor);
      return { anchorId, corridor, window, items: [], nextCursor: null };
    }
    const range = { from: firstDayOf(window, oldest), to: newest, corridor };
    const rollups = await store.rollups.listOfAnchor(generation, anchorId, range);
    const speedTargets = await store.speedTargets(deps.corridors());
    return {
      anchorId,
      corridor,
      window,
      items: historyPoints(shown, rollups, window, speedTargets),
      nextCursor: days.length > limit ? writeCursor(list, [oldest]) : null,
    };
  }

  /** For a corridor without a record: throws UNSUPPORTED_PAIR if it is not served either. */
  function refuseUnknown(corridor: string | null): void {
    if (corridor === null || deps.corridors().some(({ id }) => id === corridor)) return;
    throw unsupportedPair('query.corridor', 'is not a corridor that is served');
  }

  return {
    async getLeaderboard({ corridor, window, ...page }) {
      const list = ['leaderboard', corridor ?? '*', String(window)];
      const [givenRun, from = '0'] = readCursor(page.cursor, list, [wholeNumber, wholeNumber]) ?? [];
      const limit = readLimit(page.limit);
      const run = await reader.runOf(givenRun);
      if (run === null) {
        refuseUnknown(corridor);
        return { corridor, window, computedAt: null, items: [], nextCursor: null };
      }
      const answer = await leaderboards.get({ run, corridor, window, list, from: Number(from), limit });
      if (answer.items.length === 0) refuseUnknown(corridor);
      return answer;
    },

    async getReputation(anchorId, window) {
      const anchor = await getAnchor(anchorId);
      const { current } = await reader.runs();
      return records.get({ run: current, anchor, window });
    },

    getHistory: (query) => histories.get(query),

    async refreshNow() {
      const run = await refresh();
      if (run.ran) return run.value;
      throw new ApiError('RUN_IN_PROGRESS', 'Another refresh is running.', { startedAt: run.startedAt });
    },

    forgetHistories() {
      historyVersion += 1;
    },
  };
}

interface LeaderboardPage {
  run: Run;
  corridor: string | null;
  window: Window;
  /** What its cursors belong to. */
  list: string[];
  /** Position of its first entry. */
  from: number;
  limit: number;
}

interface RecordQuestion {
  run: Run | null;
  anchor: NamedAnchor;
  window: Window;
}

function toEntry(card: RankedCard): LeaderboardEntry {
  const { rank, anchorId, anchorName, simulated, record, signs = noSigns, scoredCorridors } = card;
  return { rank, anchorId, anchorName, simulated, ...recordWithoutPlace(record), ...signs, scoredCorridors };
}
