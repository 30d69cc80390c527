import type { ReputationHistory } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { firstDayOf } from './card.rules.js';
import { historyPoints } from './history.rules.js';
import { currentGeneration, findRollups, idsBelow, type ReputationStore } from './store.js';

export interface HistoryQuery {
  anchorId: string;
  corridor: string | null;
  window: ScoreCard['window'];
  limit: string | undefined;
  cursor: string | undefined;
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const pageSize = 500;

/** A page of daily points, newest first, from the roll-ups as they are now. */
export async function readHistory(
  store: ReputationStore,
  query: HistoryQuery,
  speedTargets: ReadonlyMap<string, number>,
): Promise<ReputationHistory> {
  const { anchorId, corridor, window } = query;
  const list = ['history', anchorId, corridor ?? '*', String(window)];
  const [before] = readCursor(query.cursor, list, [dayPattern]) ?? [];
  const limit = readLimit(query.limit);
  const prefix = `${await currentGeneration(store)} ${anchorId}`;
  const days = await daysBefore(store, prefix, corridor, before ?? null, limit + 1);
  const shown = days.slice(0, limit);
  const [newest, oldest] = [shown[0], shown.at(-1)];
  const rollups =
    newest === undefined || oldest === undefined
      ? []
      : await findRollups(
          store,
          { $gte: `${prefix} ${firstDayOf(window, oldest)}`, $lt: idsBelow(`${prefix} ${newest}`).$lt },
          { corridor },
        );
  return {
    anchorId,
    corridor,
    window,
    items: historyPoints(shown, rollups, window, speedTargets),
    nextCursor: days.length > limit && oldest !== undefined ? writeCursor(list, [oldest]) : null,
  };
}

/** The latest days with an outcome, newest first. */
async function daysBefore(
  store: ReputationStore,
  prefix: string,
  corridor: string | null,
  before: string | null,
  limit: number,
): Promise<string[]> {
  const range = idsBelow(prefix);
  const days: string[] = [];
  let below = before === null ? range.$lt : `${prefix} ${before}`;
  for (;;) {
    const rows = await store.rollups
      .find(
        { _id: { $gte: range.$gte, $lt: below }, ...(corridor === null ? {} : { corridor }) },
        { day: 1, filled: 1, notFilled: 1 },
      )
      .sort({ _id: -1 })
      .limit(pageSize)
      .lean();
    for (const { day, filled, notFilled } of rows) {
      if (filled + notFilled > 0 && days.at(-1) !== day) days.push(day);
      if (days.length === limit) return days;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return days;
    below = last._id;
  }
}
