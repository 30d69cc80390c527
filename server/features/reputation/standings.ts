import { type OutcomeDay, utcDay } from '../../outcome-days.rules.js';
import type { DisputeEffect } from '../intents/intent.js';
import {
  type Evidence,
  type JudgedIntent,
  type Standing,
  standingAlone,
  standingOf,
  trueEffect,
} from './what-counts.rules.js';

export interface StandingsDeps {
  outcomes: {
    /** The outcomes of an account on a day that may count. */
    listOfAccountDay(day: OutcomeDay, account: string): Promise<JudgedIntent[]>;
  };
  evidence: Evidence;
}

export type Standings = ReturnType<typeof createStandings>;

/** How outcomes count, by the same rules as the scores, from the outcomes as they are now. */
export function createStandings({ outcomes, evidence }: StandingsDeps) {
  function accountDayOf({ anchorId, corridor, account, outcome }: JudgedIntent): Promise<JudgedIntent[]> {
    return outcomes.listOfAccountDay({ anchorId, corridor, day: utcDay(outcome.recordedAt) }, account);
  }

  return {
    async standingOf(intent: JudgedIntent): Promise<Standing> {
      const alone = standingAlone(intent, evidence);
      return alone.counts === 'no' ? alone : standingOf(intent, await accountDayOf(intent), evidence);
    },

    /** What a verdict with this effect changes, or has changed. */
    trueEffect: async (intent: JudgedIntent, effect: DisputeEffect): Promise<DisputeEffect | 'nothing'> =>
      trueEffect(intent, effect, await accountDayOf(intent), evidence),
  };
}
