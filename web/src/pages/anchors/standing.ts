/**
 * A corridor with fewer outcomes or fewer account-days has no score. Copied from contract/verification/score.ts, which
 * brings decimal.js; anchor-record.test.ts compares them.
 */
export const leastOutcomes = 30;
export const leastAccountDays = 15;

export interface Judged {
  state: 'scored' | 'insufficient_data';
  outcomes: number;
  accountDays: number;
}

/** Whether the record has a score; if not, which threshold it misses. */
export type Standing = 'scored' | 'unused' | 'fewOutcomes' | 'fewAccountDays' | 'spreadThin';

/** Only a record over all corridors can be `spreadThin`: enough in sum, and too little in each. */
export function standingOf(record: Judged): Standing {
  if (record.state === 'scored') return 'scored';
  if (record.outcomes === 0) return 'unused';
  if (record.outcomes < leastOutcomes) return 'fewOutcomes';
  if (record.accountDays < leastAccountDays) return 'fewAccountDays';
  return 'spreadThin';
}
