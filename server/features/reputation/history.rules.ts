import type { HistoryPoint } from '../../../contract/schemas/reputation.js';
import {
  daysWithOutcomes,
  type Judge,
  ownRecord,
  recordOf,
  scoredRecord,
  sumOf,
  talliesOf,
  within,
} from './card.rules.js';
import type { Rollup } from './day-count.rules.js';

/**
 * A point for each of these days, in the given order: the counts of that day, and the score over the window that ends
 * with that day. `rollups` are those of one anchor, from 90 days before the first of these days on.
 */
export function historyPoints(
  days: readonly string[],
  rollups: readonly Rollup[],
  window: number,
  judge: Judge,
): HistoryPoint[] {
  return days.map((day) => {
    const cards = [...talliesOf(within(rollups, window, day), judge)].map(([corridor, tally]) =>
      scoredRecord(
        recordOf(tally, daysWithOutcomes(rollups, day, corridor)),
        judge.speedTargets.get(corridor) ?? 0,
      ),
    );
    const onDay = sumOf(talliesOf(within(rollups, 1, day), judge).values());
    const own = ownRecord(recordOf(onDay, daysWithOutcomes(rollups, day)), cards);
    const { ledgerOutcomes: _1, anchorOutcomes: _2, timesWithheld: _3, ...record } = own;
    return { day, ...record };
  });
}
