import type { AnchorSummary } from '../../../contract/schemas/anchors.js';
import { cardWindows, type ScoreCard } from '../../../contract/schemas/score-card.js';
import {
  addRollup,
  addTally,
  anchorRecord,
  cardOf,
  countsOf,
  emptyTally,
  firstDayOf,
  type Rollup,
  type ScoredRecord,
  type Tally,
} from './card.rules.js';
import { allCorridors, type CardRow } from './card-row.js';
import { rankRows } from './ranking.rules.js';

type Window = ScoreCard['window'];

/** Everything that is known of one anchor, by window. */
export interface AnchorCards {
  anchor: AnchorSummary;
  windows: { window: Window; own: ScoredRecord; cards: ScoreCard[] }[];
}

/**
 * The cards of an anchor as of a UTC day: one for each corridor it serves, with zeros where nobody used it yet, and
 * one for each other corridor that still has something in the window. `rollups` are those of its last 90 days.
 */
export function anchorCards(
  anchor: AnchorSummary,
  rollups: readonly Rollup[],
  today: string,
  speedTargets: ReadonlyMap<string, number>,
): AnchorCards {
  const tallies = new Map<string, Tally>();
  for (const { corridor } of anchor.corridors) tallies.set(corridor, emptyTally());
  const newestFirst = rollups.filter(({ day }) => day <= today).sort((a, b) => (a.day < b.day ? 1 : -1));
  let next = 0;
  // Each window holds the one before it: every roll-up is read once, however many windows it is in.
  const windows = cardWindows.map((window) => {
    const from = firstDayOf(window, today);
    for (let rollup = newestFirst[next]; rollup !== undefined && rollup.day >= from; ) {
      const tally = tallies.get(rollup.corridor) ?? emptyTally();
      tallies.set(rollup.corridor, tally);
      addRollup(tally, rollup);
      next += 1;
      rollup = newestFirst[next];
    }
    const all = emptyTally();
    const cards: ScoreCard[] = [];
    for (const [corridor, tally] of [...tallies].sort(byCorridor)) {
      addTally(all, tally);
      const speedTargetSeconds = speedTargets.get(corridor);
      // A corridor that this service has never had in its fleet cannot be judged.
      if (speedTargetSeconds === undefined) continue;
      const place = { anchorId: anchor.id, corridor, window, speedTargetSeconds };
      cards.push(cardOf(countsOf(tally), { ...place, simulated: anchor.simulated }));
    }
    return { window, own: anchorRecord(all, cards), cards };
  });
  return { anchor, windows };
}

/** The rows of a run, ranked: in each corridor the anchors that serve it now, and all active anchors over all. */
export function cardRows(run: number, records: readonly AnchorCards[]): CardRow[] {
  const rankings = new Map<string, CardRow[]>();
  const unranked: CardRow[] = [];
  for (const { anchor, windows } of records) {
    const serves = new Set(anchor.corridors.map(({ corridor }) => corridor));
    for (const { window, own, cards } of windows) {
      const scoredCorridors = cards.filter(({ score }) => score !== null).length;
      const overall = rowOf(run, anchor, window, allCorridors, own, scoredCorridors);
      put(overall, anchor.status === 'active');
      for (const card of cards) {
        const row = rowOf(run, anchor, window, card.corridor, card, card.score === null ? 0 : 1);
        put(row, anchor.status === 'active' && serves.has(card.corridor));
      }
    }
  }
  return [...[...rankings.values()].flatMap(ranked), ...unranked];

  function put(row: CardRow, isRanked: boolean): void {
    if (!isRanked) {
      unranked.push(row);
      return;
    }
    const key = `${row.window} ${row.corridor}`;
    const ranking = rankings.get(key);
    if (ranking === undefined) rankings.set(key, [row]);
    else ranking.push(row);
  }
}

function ranked(rows: readonly CardRow[]): CardRow[] {
  const entries = rows.map((row) => ({
    row,
    anchorId: row.anchorId,
    score: row.record.score,
    outcomes: row.record.outcomes,
  }));
  return rankRows(entries).map(({ row: { row }, position, rank }) => ({ ...row, position, rank }));
}

function rowOf(
  run: number,
  anchor: AnchorSummary,
  window: Window,
  corridor: string,
  record: CardRow['record'],
  scoredCorridors: number,
): CardRow {
  return {
    _id: `${run} ${window} ${anchor.id} ${corridor}`,
    run,
    window,
    anchorId: anchor.id,
    anchorName: anchor.name,
    simulated: anchor.simulated,
    corridor,
    position: null,
    rank: null,
    scoredCorridors,
    record,
  };
}

function byCorridor([a]: readonly [string, Tally], [b]: readonly [string, Tally]): number {
  return a < b ? -1 : 1;
}
