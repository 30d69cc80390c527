import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import type {
  AnchorReputation,
  LeaderboardAnswer,
  ReputationHistory,
} from '../../../contract/schemas/reputation.js';
import { formula } from '../../../contract/verification/formulas.js';
import { unsupportedPair } from '../../errors.js';
import { type PageQuery, readCursor, readLimit, toPage } from '../../paging.js';
import { toInstant } from '../../ports.js';
import {
  type CardWindow,
  firstDayOf,
  historyPoints,
  longestWindow,
  ownRecord,
  recordOf,
  signsOf,
} from './card.rules.js';
import type { CardState } from './card-store.js';
import type { Cards } from './cards.js';
import type { RollupStore } from './day-store.js';
import { compareRanked, rankingOf } from './ranking.rules.js';
import { type FleetView, speedTargetsOf } from './refresh.js';
import { emptyTally } from './tally.rules.js';
import type { Evidence } from './what-counts.rules.js';

interface RankingQuery extends PageQuery {
  corridor: string | null;
  window: CardWindow;
}

export interface ReputationServiceDeps {
  cards: Pick<Cards, 'current'>;
  rollups: Pick<RollupStore, 'listOfAnchor' | 'listDaysWithOutcomes'>;
  evidence: Evidence;
  fleet: FleetView & {
    /** Throws UNKNOWN_ANCHOR. */
    getAnchor(anchorId: string): Promise<Pick<AnchorAnswer, 'id' | 'name' | 'simulated' | 'status'>>;
  };
}

export type ReputationService = ReturnType<typeof createReputationService>;

const placePattern = [/^(-|\d{1,3}\.\d\d)$/, /^(0|[1-9]\d{0,14})$/, /^[a-z0-9-]{1,40}$/];
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

export function createReputationService(deps: ReputationServiceDeps) {
  const { cards, rollups, fleet, evidence } = deps;

  /** For a corridor without a record: throws UNSUPPORTED_PAIR if it is not served either. */
  function refuseUnknown(corridor: string | null): void {
    if (corridor === null || fleet.corridors().some(({ id }) => id === corridor)) return;
    throw unsupportedPair('query.corridor', 'is not a corridor that is served');
  }

  return {
    /** Throws UNSUPPORTED_PAIR for a corridor that is neither served nor has a record. */
    async getLeaderboard({ corridor, window, ...page }: RankingQuery): Promise<LeaderboardAnswer> {
      const list = ['leaderboard', corridor ?? '*', String(window)];
      const [score = '-', outcomes = '', anchorId = ''] = readCursor(page.cursor, list, placePattern) ?? [];
      const last = { score: score === '-' ? null : score, outcomes: Number(outcomes), anchorId };
      const limit = readLimit(page.limit);
      const { state, anchors } = await cards.current();
      const ranking = rankingOf([...anchors.values()], window, corridor, state.evidence ?? evidence);
      if (ranking.length === 0) refuseUnknown(corridor);
      const rest = anchorId === '' ? ranking : ranking.filter((entry) => compareRanked(last, entry) < 0);
      return {
        corridor,
        window,
        formula,
        ...freshnessOf(state),
        ...toPage(rest, limit, list, ({ score, outcomes, anchorId }) => [score ?? '-', outcomes, anchorId]),
      };
    },

    /** Throws UNKNOWN_ANCHOR. */
    async getReputation(id: string, window: CardWindow): Promise<AnchorReputation> {
      const { id: anchorId, name: anchorName, simulated, status } = await fleet.getAnchor(id);
      const { state, anchors } = await cards.current();
      const found = anchors.get(anchorId)?.windows.find((each) => each.window === window);
      const { scoredCorridors: _, ...own } = found?.own ?? noRecord;
      return {
        anchorId,
        anchorName,
        simulated,
        status,
        window,
        formula,
        evidence: state.evidence ?? evidence,
        ...freshnessOf(state),
        ...own,
        corridors: found?.cards.map(({ card, signs }) => ({ ...card, ...signs })) ?? [],
      };
    },

    /** Daily points, newest first, from the roll-ups as they are now. Throws UNKNOWN_ANCHOR, UNSUPPORTED_PAIR. */
    async getHistory(query: RankingQuery & { anchorId: string }): Promise<ReputationHistory> {
      const { anchorId, corridor, window, ...page } = query;
      const list = ['history', anchorId, corridor ?? '*', String(window)];
      const [before = null] = readCursor(page.cursor, list, [dayPattern]) ?? [];
      const limit = readLimit(page.limit);
      await fleet.getAnchor(anchorId);
      const days = await rollups.listDaysWithOutcomes(anchorId, { corridor, before, limit: limit + 1 });
      const { items: shown, nextCursor } = toPage(days, limit, list, (day) => [day]);
      const [newest, oldest] = [shown[0], shown.at(-1)];
      const place = { anchorId, corridor, window, formula } as const;
      if (newest === undefined || oldest === undefined) {
        refuseUnknown(corridor);
        return { ...place, items: [], nextCursor: null };
      }
      const from = firstDayOf(longestWindow, oldest);
      const speedTargets = speedTargetsOf((await cards.current()).state, fleet);
      const found = await rollups.listOfAnchor(anchorId, { from, to: newest, corridor });
      return {
        ...place,
        items: historyPoints(shown, found, window, { evidence, speedTargets }),
        nextCursor,
      };
    },
  };
}

const noRecord = {
  ...ownRecord(recordOf(emptyTally(), 0), []),
  ...signsOf(emptyTally()),
  scoredCorridors: 0,
};

function freshnessOf({ computedAt, standsStillSince }: CardState) {
  return {
    computedAt: computedAt && toInstant(computedAt),
    standsStillSince: standsStillSince && toInstant(standsStillSince),
  };
}
