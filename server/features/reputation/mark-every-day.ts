import { keyOfDay, type OutcomeDay } from '../../outcome-days.rules.js';
import type { MarkStore } from './mark-store.js';
import type { RollupStore } from './rollup-store.js';

export interface MarkEveryDayDeps {
  marks: Pick<MarkStore, 'insertAll'>;
  rollups: Pick<RollupStore, 'days'>;
  outcomes: {
    /** Every day that has outcomes which may count. */
    days(): AsyncIterable<OutcomeDay>;
  };
}

/** Marks every day that has outcomes or a roll-up, so that refreshes count all of them anew. Resolves to their number. */
export async function markEveryDay({ marks, rollups, outcomes }: MarkEveryDayDeps): Promise<number> {
  const every = new Map<string, OutcomeDay>();
  for (const source of [outcomes.days(), rollups.days()])
    for await (const { anchorId, corridor, day } of source) {
      const marked = { anchorId, corridor, day };
      every.set(keyOfDay(marked), marked);
    }
  await marks.insertAll([...every.values()]);
  return every.size;
}
