import type { AggregatableIntent, IntentAggregation } from '../intents/aggregation.js';
import type { DisputeEffect } from '../intents/intent.js';
import type { AccountDay } from './aggregation.rules.js';
import {
  awaitedAccountDay,
  decidingAccountDay,
  type TrueEffect,
  trueEffect,
} from './outcome-standing.rules.js';
import type { ReputationStore } from './store.js';

/** A verdict, and the intent that it would apply to. */
export interface PossibleVerdict {
  intent: AggregatableIntent;
  effect: DisputeEffect;
}

/** What each of these verdicts changes in the reputation, in their order. */
export type TrueEffects = (verdicts: readonly PossibleVerdict[]) => Promise<TrueEffect[]>;

export interface TrueEffectsDeps {
  store: ReputationStore;
  intents: Pick<IntentAggregation, 'listPendingOfAccounts'>;
}

const maxPending = 10_000;

export function createTrueEffects({ store, intents }: TrueEffectsDeps): TrueEffects {
  /** The intents that wait for admission, by account-day; null if there are too many to read. */
  async function readWaiting(accounts: readonly string[]): Promise<Map<string, string[]> | null> {
    const pending = await intents.listPendingOfAccounts(accounts, maxPending);
    if (pending.length === maxPending) return null;
    const waiting = new Map<string, string[]>();
    for (const intent of pending) {
      const key = awaitedAccountDay(intent);
      if (key !== null) waiting.set(key, [...(waiting.get(key) ?? []), intent._id]);
    }
    return waiting;
  }

  return async (verdicts) => {
    const keys = verdicts.map(({ intent, effect }) => decidingAccountDay(intent, effect));
    const undecided = verdicts.filter((_, index) => keys[index] !== null);
    let accountDays = new Map<string, AccountDay>();
    let waiting: Map<string, string[]> | null = new Map();
    if (undecided.length > 0) {
      const needed = [...new Set(keys.filter((key) => key !== null))];
      // The waiting intents are read first: one that is counted in between is then found twice, and never missed.
      waiting = await readWaiting([...new Set(undecided.map(({ intent }) => intent.account))]);
      accountDays = await store.ofOneGeneration((generation) =>
        store.rollups.readAccountDays(null, generation, needed),
      );
    }
    return verdicts.map(({ intent, effect }, index) => {
      const key = keys[index] ?? '';
      const others = waiting?.get(key)?.filter((id) => id !== intent._id) ?? [];
      return trueEffect(intent, effect, {
        admitted: accountDays.get(key)?.admitted ?? 0,
        waiting: waiting === null ? Number.POSITIVE_INFINITY : others.length,
      });
    });
  };
}
