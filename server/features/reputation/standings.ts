import type { OutcomeDay } from '../../outcome-days.rules.js';
import { utcDay } from '../../utc-day.rules.js';
import type { DisputeEffect } from '../intents/intent.js';
import {
  type Evidence,
  type JudgedIntent,
  type Standing,
  standingAlone,
  standingOf,
  trueEffect,
} from './what-counts.rules.js';

/** A verdict, and the intent that it would apply to. */
export interface PossibleVerdict {
  intent: JudgedIntent;
  effect: DisputeEffect;
}

/** How outcomes count, by the same rules as the scores, from the outcomes as they are now. */
export interface Standings {
  standingOf(intent: JudgedIntent): Promise<Standing>;
  /** What each of these verdicts changes, or has changed, in their order. */
  trueEffects(verdicts: readonly PossibleVerdict[]): Promise<(DisputeEffect | 'nothing')[]>;
}

export interface StandingsDeps {
  outcomes: {
    /** The outcomes of an account on a day that may count. */
    listOfAccountDay(day: OutcomeDay, account: string): Promise<JudgedIntent[]>;
  };
  evidence: Evidence;
}

export function createStandings({ outcomes, evidence }: StandingsDeps): Standings {
  function accountDayOf({ anchorId, corridor, account, outcome }: JudgedIntent): Promise<JudgedIntent[]> {
    return outcomes.listOfAccountDay({ anchorId, corridor, day: utcDay(outcome.recordedAt) }, account);
  }

  return {
    async standingOf(intent) {
      const alone = standingAlone(intent, evidence);
      return alone.counts === 'no' ? alone : standingOf(intent, await accountDayOf(intent), evidence);
    },

    trueEffects: (verdicts) =>
      Promise.all(
        verdicts.map(async ({ intent, effect }) =>
          trueEffect(intent, effect, await accountDayOf(intent), evidence),
        ),
      ),
  };
}
