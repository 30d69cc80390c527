import { describe, expect, it } from '@jest/globals';
import {
  aggregatable,
  compareCounts,
  type StoredCounts,
} from '../../../scripts/faults/compare/counts.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { planAggregation } from '../../../server/features/reputation/aggregation.rules.js';
import { emptyCounts, type Rollup } from '../../../server/features/reputation/counters.rules.js';
import { agreeing } from '../../fixtures/faults/agreeing.js';

/** The counted intent and the roll-ups that include it. */
function counted(): { intent: Intent; counts: StoredCounts; rollup: Rollup; key: string } {
  const { intent: ended } = agreeing();
  // Any other outcome would need its histograms.
  const intent: Intent = { ...ended, disputeEffect: 'counts_not_filled' };
  const plan = planAggregation([aggregatable({ ...intent, counting: pending })], new Map());
  const [is] = plan.intents;
  const [[key, delta] = []] = plan.rollups;
  if (is === undefined || key === undefined || delta === undefined) throw new Error('nothing was counted');
  const { anchorId, corridor, day } = delta;
  const rollup: Rollup = { ...emptyCounts, anchorId, corridor, day };
  for (const [name, value] of Object.entries(delta))
    if (typeof value === 'number') Object.assign(rollup, { [name]: value });
  const counting = { pendingAggregation: false, counted: is.counted, admission: is.admission };
  const counts = { rollups: new Map([[key, rollup]]), accountDays: plan.accountDays };
  return { intent: { ...intent, counting }, counts, rollup, key };
}

const pending = { pendingAggregation: true, counted: null, admission: null };

describe('the comparison of counts', () => {
  it('finds nothing where every outcome is counted once', () => {
    const { intent, counts, rollup } = counted();
    expect(rollup.notFilled).toBe(1);
    expect(compareCounts([intent], counts)).toEqual([]);
  });

  it('names a roll-up in which an outcome is counted twice, or not at all', () => {
    const { intent, counts, rollup, key } = counted();
    const twice = new Map([[key, { ...rollup, notFilled: 2 }]]);
    expect(compareCounts([intent], { ...counts, rollups: twice }).map(({ id }) => id)).toEqual([key]);
    expect(compareCounts([intent], { ...counts, rollups: new Map() }).map(({ id }) => id)).toEqual([key]);
  });

  it('names an account-day with more than was counted', () => {
    const { intent, counts } = counted();
    const more = new Map([...counts.accountDays].map(([key, day]) => [key, { ...day, admitted: 2 }]));
    expect(compareCounts([intent], { ...counts, accountDays: more })).toHaveLength(1);
  });

  it('names an outcome that waits to be counted, or is counted otherwise', () => {
    const { intent, counts } = counted();
    const waiting = { ...intent, counting: { ...intent.counting, pendingAggregation: true } as never };
    expect(compareCounts([waiting], counts).map(({ what }) => what)).toEqual([
      'The outcome waits to be counted.',
    ]);
    const stale = { ...intent, disputeEffect: null };
    expect(compareCounts([stale], counts).map(({ what }) => what)).toContain(
      'The intent is counted otherwise than its outcome says.',
    );
  });
});
