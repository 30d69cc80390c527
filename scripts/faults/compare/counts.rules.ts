import type { AggregatableIntent } from '../../../server/features/intents/aggregation.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import {
  type AccountDay,
  planRebuild,
  type RollupDelta,
} from '../../../server/features/reputation/aggregation.rules.js';
import {
  differenceOf,
  eachHistogram,
  type Rollup,
} from '../../../server/features/reputation/counters.rules.js';
import {
  changeHistogram,
  emptyHistogram,
} from '../../../server/features/reputation/settle-histogram.rules.js';
import type { Finding } from '../ports.js';

/** What the reputation holds: roll-ups by anchor, day and corridor, and account-days. */
export interface StoredCounts {
  rollups: ReadonlyMap<string, Rollup>;
  accountDays: ReadonlyMap<string, AccountDay>;
}

/** Every outcome is counted once: the roll-ups equal a recount of every intent. */
export function compareCounts(intents: readonly Intent[], stored: StoredCounts): Finding[] {
  const all = intents.map(aggregatable);
  const found: Finding[] = [];
  const expired = new Set(intents.filter(({ status }) => status === 'expired').map(({ _id }) => _id));
  for (const { _id, pendingAggregation } of all) {
    // Unpaid intents expire until the service stops, and count for nobody.
    if (pendingAggregation && !expired.has(_id))
      found.push({ of: 'counts', id: _id, what: 'The outcome waits to be counted.' });
  }
  const counted = planRebuild(all, new Map(), { keepCounted: false });
  for (const id of counted.stale)
    found.push({ of: 'counts', id, what: 'The intent is counted otherwise than its outcome says.' });
  for (const key of new Set([...stored.rollups.keys(), ...counted.rollups.keys()])) {
    const delta = counted.rollups.get(key);
    const difference = differenceOf(key, stored.rollups.get(key), delta && rollupOf(delta));
    if (difference === null) continue;
    found.push({ of: 'counts', id: key, what: `The roll-up differs: ${JSON.stringify(difference)}.` });
  }
  for (const [key, expected] of counted.accountDays) {
    const has = stored.accountDays.get(key);
    if (JSON.stringify(has) === JSON.stringify(expected)) continue;
    const what = `The account-day is ${JSON.stringify(has)}, counted anew it is ${JSON.stringify(expected)}.`;
    found.push({ of: 'counts', id: key, what });
  }
  return found;
}

export function aggregatable(intent: Intent): AggregatableIntent {
  const { counting } = intent;
  return { ...intent, ...(counting ?? { pendingAggregation: false, counted: null, admission: null }) };
}

/** An empty roll-up after this change. */
function rollupOf(delta: RollupDelta): Rollup {
  return { ...delta, ...eachHistogram((name) => changeHistogram(emptyHistogram, delta[name])) };
}
