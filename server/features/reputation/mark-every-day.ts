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
export function markEveryDay({ marks, rollups, outcomes }: MarkEveryDayDeps): Promise<number> {
  async function* everyDay(): AsyncGenerator<OutcomeDay> {
    const seen = new Set<string>();
    for (const source of [outcomes.days(), rollups.days()])
      for await (const { anchorId, corridor, day } of source) {
        const marked = { anchorId, corridor, day };
        if (seen.has(keyOfDay(marked))) continue;
        seen.add(keyOfDay(marked));
        yield marked;
      }
  }
  return marks.insertAll(everyDay());
}
