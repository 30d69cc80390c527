/**
 * A corridor with fewer outcomes, account-days or days with outcomes has no score. Copied from contract/verification/score.ts, which
 * brings decimal.js; anchor-record.test.ts compares them.
 */
export const leastOutcomes = 30;
export const leastAccountDays = 15;
export const leastDays90 = 7;

export interface Judged {
  state: 'scored' | 'insufficient_data';
  outcomes: number;
  accountDays: number;
  days90: number;
}

/** Whether the record has a score; if not, which threshold it misses. */
export type Standing = 'scored' | 'unused' | 'fewOutcomes' | 'fewAccountDays' | 'fewDays' | 'spreadThin';

/** Only a record over all corridors can be `spreadThin`: enough in sum, and too little in each. */
export function standingOf(record: Judged): Standing {
  if (record.state === 'scored') return 'scored';
  if (record.outcomes === 0) return 'unused';
  if (record.outcomes < leastOutcomes) return 'fewOutcomes';
  if (record.accountDays < leastAccountDays) return 'fewAccountDays';
  if (record.days90 < leastDays90) return 'fewDays';
  return 'spreadThin';
}
