import type { Intent } from '../../server/features/intents/intent.js';
import { countDay, knownBefore, type Rollup } from '../../server/features/reputation/day-count.rules.js';
import type { Evidence, JudgedIntent } from '../../server/features/reputation/what-counts.rules.js';
import { daysOf, type OutcomeDay } from '../../server/outcome-days.rules.js';

/** The roll-ups of all these intents, by the rules of the service and without its database. */
export function countHistory(intents: readonly (JudgedIntent | Intent)[], evidence: Evidence): Rollup[] {
  const firstPaid = new Map<string, number>();
  const byDay = new Map<string, { day: OutcomeDay; outcomes: JudgedIntent[] }>();
  for (const intent of intents) {
    const { outcome, account } = intent;
    const [day] = daysOf(intent);
    if (outcome === null || day === undefined) continue;
    const at = outcome.recordedAt.getTime();
    if (outcome.kind !== 'expired') firstPaid.set(account, Math.min(firstPaid.get(account) ?? at, at));
    const key = `${day.anchorId} ${day.corridor} ${day.day}`;
    const ofDay = byDay.get(key) ?? { day, outcomes: [] };
    byDay.set(key, ofDay);
    ofDay.outcomes.push({ ...intent, outcome });
  }
  return [...byDay.values()].flatMap(({ day, outcomes }) => {
    const before = knownBefore(day.day).getTime();
    const isKnown = ({ account }: JudgedIntent) => (firstPaid.get(account) ?? before) < before;
    const knownAccounts = new Set(outcomes.filter(isKnown).map(({ account }) => account));
    return countDay(day, outcomes, { evidence, knownAccounts }) ?? [];
  });
}
