import type { HistoryPoint } from '../../../contract/schemas/reputation.js';
import {
  daysWithOutcomes,
  firstDayOf,
  type Judge,
  ownRecord,
  recordOf,
  scoredRecord,
  sumOf,
  talliesOf,
} from './card.rules.js';
import type { Rollup } from './day-count.rules.js';
import { addRollup, emptyTally, judgeTimes, type Tally } from './tally.rules.js';

/**
 * A point for each of these days, in the given order: the counts of that day, and the score over the window that ends
 * with that day. `rollups` are those of one anchor, ordered by day, from 90 days before the first of these days on.
 */
export function historyPoints(
  days: readonly string[],
  rollups: readonly Rollup[],
  window: number,
  judge: Judge,
): HistoryPoint[] {
  const sliding = slidingWindow(rollups, window);
  const points = new Map<string, HistoryPoint>();
  for (const day of [...days].sort()) {
    const cards = [...sliding.moveTo(day)].flatMap(([corridor, tally]) => {
      const target = judge.speedTargets.get(corridor);
      if (target === undefined) return [];
      const judged = judgeTimes(tally, judge.evidence, target);
      return [scoredRecord(recordOf(judged, daysWithOutcomes(rollups, day, corridor)), target)];
    });
    const onDay = sumOf(
      talliesOf(
        rollups.filter((rollup) => rollup.day === day),
        judge,
      ).values(),
    );
    const {
      ledgerOutcomes: _1,
      anchorOutcomes: _2,
      timesWithheld: _3,
      ...record
    } = ownRecord(recordOf(onDay, daysWithOutcomes(rollups, day)), cards);
    points.set(day, { day, ...record });
  }
  return days.flatMap((day) => points.get(day) ?? []);
}

/** Adds the days that enter the window and subtracts those that leave it, so a wider window does not cost more per point. */
function slidingWindow(rollups: readonly Rollup[], window: number) {
  const tallies = new Map<string, Tally>();
  let first = 0;
  let next = 0;
  const count = (rollup: Rollup, sign: 1 | -1) => {
    const tally = tallies.get(rollup.corridor) ?? emptyTally();
    tallies.set(rollup.corridor, tally);
    addRollup(tally, rollup, sign);
  };
  return {
    /** The tallies of the window that ends with this day, by corridor. Each day must be later than the one before. */
    moveTo(day: string): ReadonlyMap<string, Tally> {
      const from = firstDayOf(window, day);
      for (let rollup = rollups[next]; rollup !== undefined && rollup.day <= day; rollup = rollups[next]) {
        count(rollup, 1);
        next += 1;
      }
      for (
        let rollup = rollups[first];
        first < next && rollup && rollup.day < from;
        rollup = rollups[first]
      ) {
        count(rollup, -1);
        first += 1;
      }
      return tallies;
    },
  };
}
