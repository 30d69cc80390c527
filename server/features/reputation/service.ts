import { LRUCache } from 'lru-cache';
import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import type {
  AnchorReputation,
  LeaderboardAnswer,
  LeaderboardEntry,
  RefreshAnswer,
  ReputationHistory,
} from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { ApiError } from '../../errors.js';
import type { LeaseOutcome } from '../../mongo/leases.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { anchorRecord, emptyTally } from './card.rules.js';
import type { CardReader } from './card-reader.js';
import type { CardRow } from './card-row.js';
import { type HistoryQuery, readHistory } from './history.js';
import type { FleetView, Refresh } from './refresh.js';
import { speedTargetsOf } from './speed-targets.js';
import type { ReputationStore } from './store.js';

type Window = ScoreCard['window'];

export interface Reputation {
  getLeaderboard(query: {
    corridor: string | null;
    window: Window;
    limit: string | undefined;
    cursor: string | undefined;
  }): Promise<LeaderboardAnswer>;
  /** Throws UNKNOWN_ANCHOR. */
  getReputation(anchorId: string, window: Window): Promise<AnchorReputation>;
  /** Throws UNKNOWN_ANCHOR. */
  getHistory(query: HistoryQuery): Promise<ReputationHistory>;
  /** Computes the scores anew, unless another instance does just now. */
  refresh(): Promise<LeaseOutcome<RefreshAnswer>>;
  /** The same for one who asks for it: throws RUN_IN_PROGRESS. */
  refreshNow(): Promise<RefreshAnswer>;
}

export interface ReputationDeps {
  store: ReputationStore;
  reader: CardReader;
  refresher: Refresh;
  /** Throws UNKNOWN_ANCHOR. */
  getAnchor: (anchorId: string) => Promise<Pick<AnchorAnswer, 'id' | 'name' | 'simulated' | 'status'>>;
  corridors: FleetView['corridors'];
  clock: Clock;
  /** Called after a refresh of our own. */
  onRefresh: () => Promise<void>;
}

/** Entries of lists kept in answers, some 500 bytes each. */
const maxKeptEntries = 30_000;
const historyKeptMs = 30_000;
const wholeNumber = /^(0|[1-9]\d{0,14})$/;

/** Answers of a run never change, so that they are made once; the response bytes are kept with the object. */
export function createReputation(deps: ReputationDeps): Reputation {
  const { store, reader, refresher, getAnchor, clock } = deps;
  const kept = new LRUCache<string, LeaderboardAnswer | AnchorReputation>({
    maxSize: maxKeptEntries,
    sizeCalculation: (answer) => 1 + ('items' in answer ? answer.items.length : answer.corridors.length),
  });
  const histories = new LRUCache<string, ReputationHistory>({
    maxSize: maxKeptEntries,
    sizeCalculation: (answer) => 1 + answer.items.length,
    ttl: historyKeptMs,
    perf: { now: clock },
  });

  return {
    async getLeaderboard({ corridor, window, ...page }) {
      const list = ['leaderboard', corridor ?? '*', String(window)];
      const [givenRun, from = '0'] = readCursor(page.cursor, list, [wholeNumber, wholeNumber]) ?? [];
      const limit = readLimit(page.limit);
      const run = await reader.runOf(givenRun);
      if (run === null) return { corridor, window, computedAt: null, items: [], nextCursor: null };
      const key = [run.run, ...list, from, limit].join(' ');
      const known = kept.get(key);
      if (known !== undefined) return known as LeaderboardAnswer;
      const rows = await reader.ranking(run.run, window, corridor, Number(from), limit + 1);
      const answer: LeaderboardAnswer = {
        corridor,
        window,
        computedAt: toInstant(run.computedAt.getTime()),
        items: rows.slice(0, limit).map(toEntry),
        nextCursor: rows.length > limit ? writeCursor(list, [run.run, Number(from) + limit]) : null,
      };
      kept.set(key, answer);
      return answer;
    },

    async getReputation(anchorId, window) {
      const { name, status, simulated } = await getAnchor(anchorId);
      const { current } = await reader.runs();
      const key = `${current?.run} ${anchorId} ${window} ${status} ${name}`;
      const known = kept.get(key);
      if (known !== undefined) return known as AnchorReputation;
      const rows = current === null ? [] : await reader.ofAnchor(current.run, window, anchorId);
      const [own, ...cards] = rows.map(({ record }) => record);
      const answer: AnchorReputation = {
        anchorId,
        anchorName: name,
        simulated,
        status,
        window,
        computedAt: current === null ? null : toInstant(current.computedAt.getTime()),
        ...(own ?? anchorRecord(emptyTally(), [])),
        corridors: cards as ScoreCard[],
      };
      kept.set(key, answer);
      return answer;
    },

    async getHistory(query) {
      const { anchorId, corridor, window, limit, cursor } = query;
      const key = [anchorId, corridor, window, limit, cursor].join(' ');
      const known = histories.get(key);
      if (known !== undefined) return known;
      await getAnchor(anchorId);
      const answer = await readHistory(store, query, await speedTargetsOf(store, deps.corridors()));
      histories.set(key, answer);
      return answer;
    },

    refresh,

    async refreshNow() {
      const run = await refresh();
      if (run.ran) return run.value;
      throw new ApiError('RUN_IN_PROGRESS', 'Another refresh is running.', { startedAt: run.startedAt });
    },
  };

  async function refresh(): Promise<LeaseOutcome<RefreshAnswer>> {
    const run = await refresher.refresh();
    if (run.ran) {
      reader.forget();
      histories.clear();
      await deps.onRefresh();
    }
    return run;
  }
}

function toEntry({
  rank,
  anchorId,
  anchorName,
  simulated,
  record,
  scoredCorridors,
}: CardRow): LeaderboardEntry {
  const { outcomes, filled, accountDays, fillRate, p50SettleSeconds, p95SettleSeconds } = record;
  const { meanShortfall, quotedOutcomes, acceptedDisputes, score, state } = record;
  return {
    rank,
    anchorId,
    anchorName,
    simulated,
    outcomes,
    filled,
    accountDays,
    fillRate,
    p50SettleSeconds,
    p95SettleSeconds,
    meanShortfall,
    quotedOutcomes,
    acceptedDisputes,
    score,
    state,
    scoredCorridors,
  };
}
