import { isMongoUnavailable } from '../../mongo/failures.js';
import { type HeldLease, LeaseLostError } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { countDay, knownBefore } from './day-count.rules.js';
import type { MarkStore } from './mark-store.js';
import type { RollupStore } from './rollup-store.js';
import type { Evidence, JudgedIntent } from './what-counts.rules.js';

/** The functions of the intents that counting needs. */
export interface Outcomes {
  /** The outcomes of a day that may count, as the transaction sees them. */
  listOfDay(session: ClientSession, day: OutcomeDay): Promise<JudgedIntent[]>;
  /** The accounts among these that paid with any anchor before this instant. */
  accountsBefore(session: ClientSession, accounts: readonly string[], before: Date): Promise<string[]>;
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
  random: Random;
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

/**
 * Counts marked days anew. One transaction reads the marks and the intents of a day, replaces its roll-up and removes
 * exactly those marks: a change that comes later has a mark that stays, and one that is missed has one that was read.
 */
export function createCountDays(deps: CountDaysDeps): (lease: HeldLease) => Promise<CountedDays> {
  const { marks, rollups, outcomes, evidence, inLeasedTransaction, clock, logger } = deps;

  /** Returns whether marks of the day are left. */
  function count(lease: HeldLease, day: OutcomeDay): Promise<boolean> {
    return inLeasedTransaction(lease, async (session) => {
      const taken = await marks.take(session, day, marksAtOnce);
      const found = await outcomes.listOfDay(session, day);
      const accounts = [...new Set(found.map(({ account }) => account))];
      const known = await outcomes.accountsBefore(session, accounts, knownBefore(day.day));
      const rollup = countDay(day, found, { evidence, knownAccounts: new Set(known) });
      await rollups.replace(session, day, rollup);
      return taken === marksAtOnce;
    });
  }

  return async (lease) => {
    const endsAt = clock() + longestMs;
    const counted = { days: 0, more: false };
    const marked = await marks.listDays(mostDays);
    for (const day of shuffled(marked, deps.random)) {
      if (lease.signal.aborted || clock() >= endsAt) return { ...counted, more: true };
      try {
        while (await count(lease, day)) lease.signal.throwIfAborted();
        counted.days += 1;
      } catch (error) {
        if (error instanceof LeaseLostError || lease.signal.aborted || !isMongoUnavailable(error))
          throw error;
        // Most likely it has more outcomes than one transaction can count.
        logger.error({ err: error, ...day }, 'a day of outcomes could not be counted');
      }
    }
    return { ...counted, more: marked.length === mostDays };
  };
}

/** So that days that cannot be counted do not use up the time of every run before the others. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
