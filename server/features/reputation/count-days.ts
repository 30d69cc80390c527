import { isMongoUnavailable } from '../../mongo/failures.js';
import { type HeldLease, LeaseLostError } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import { keyOfDay, type OutcomeDay, utcDay } from '../../outcome-days.rules.js';
import type { Clock, Logger } from '../../ports.js';
import type { DisputeEffect } from '../intents/intent.js';
import { countDay, knownBefore } from './day-count.rules.js';
import type { MarkStore, RollupStore } from './day-store.js';
import {
  type Evidence,
  type JudgedIntent,
  type Standing,
  standingAlone,
  standingOf,
  trueEffect,
} from './what-counts.rules.js';

/** The functions of the intents that counting needs. */
export interface Outcomes {
  /** The outcomes of a day that may count, as the transaction sees them. */
  listOfDay(session: ClientSession, day: OutcomeDay): Promise<JudgedIntent[]>;
  /** The accounts among these that paid with any anchor before this instant. */
  accountsBefore(session: ClientSession, accounts: readonly string[], before: Date): Promise<string[]>;
  /** The outcomes of an account on a day that may count. */
  listOfAccountDay(day: OutcomeDay, account: string): Promise<JudgedIntent[]>;
  /** Every day that has outcomes which may count. */
  days(): AsyncIterable<OutcomeDay>;
}

/** Marks days to be counted anew, in the transaction that changes their outcomes. */
export type MarkDays = MarkStore['insert'];

export interface CountDaysDeps {
  marks: MarkStore;
  rollups: RollupStore;
  outcomes: Outcomes;
  evidence: Evidence;
  inLeasedTransaction: InLeasedTransaction;
  clock: Clock;
  logger: Logger;
}

/** What a run counted, and whether marked days are left for the next one. */
export interface CountedDays {
  days: number;
  more: boolean;
}

const marksAtOnce = 10_000;
const mostDays = 10_000;
const longestMs = 10_000;

/** Counts marked days anew, as many as there is time for. */
export async function countDays(deps: CountDaysDeps, lease: HeldLease): Promise<CountedDays> {
  const endsAt = deps.clock() + longestMs;
  const counted = { days: 0, more: false };
  const marked = await deps.marks.listDays(mostDays);
  for (const day of marked) {
    if (lease.signal.aborted || deps.clock() >= endsAt) return { ...counted, more: true };
    try {
      while (await count(deps, lease, day)) lease.signal.throwIfAborted();
      counted.days += 1;
    } catch (error) {
      if (error instanceof LeaseLostError || lease.signal.aborted || !isMongoUnavailable(error)) throw error;
      // Most likely it has more outcomes than one transaction can count.
      deps.logger.error({ err: error, ...day }, 'a day of outcomes could not be counted');
    }
  }
  return { ...counted, more: marked.length === mostDays };
}

/**
 * One transaction reads the marks and the intents of a day, replaces its roll-up and removes exactly those marks: a change
 * that comes later has a mark that stays, and one that is missed has one that was read. Returns whether marks are left.
 */
function count(deps: CountDaysDeps, lease: HeldLease, day: OutcomeDay): Promise<boolean> {
  const { marks, rollups, outcomes, evidence } = deps;
  return deps.inLeasedTransaction(lease, async (session) => {
    const taken = await marks.take(session, day, marksAtOnce);
    const found = await outcomes.listOfDay(session, day);
    const accounts = [...new Set(found.map(({ account }) => account))];
    const known = await outcomes.accountsBefore(session, accounts, knownBefore(day.day));
    const rollup = countDay(day, found, { evidence, knownAccounts: new Set(known) });
    await rollups.replace(session, day, rollup);
    return taken === marksAtOnce;
  });
}

/** Marks every day that has outcomes or a roll-up, so that refreshes count all of them anew. Resolves to their number. */
export async function markEveryDay(
  deps: Pick<CountDaysDeps, 'marks' | 'rollups' | 'outcomes'>,
): Promise<number> {
  const every = new Map<string, OutcomeDay>();
  for (const source of [deps.outcomes.days(), deps.rollups.days()])
    for await (const { anchorId, corridor, day } of source) {
      const marked = { anchorId, corridor, day };
      every.set(keyOfDay(marked), marked);
    }
  await deps.marks.insertAll([...every.values()]);
  return every.size;
}

export type Standings = ReturnType<typeof createStandings>;

/** How outcomes count, by the same rules as the scores, from the outcomes as they are now. */
export function createStandings({ outcomes, evidence }: Pick<CountDaysDeps, 'outcomes' | 'evidence'>) {
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
