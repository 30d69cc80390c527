import type { AggregatableIntent, CountedIntent } from '../intents/aggregation.js';
import {
  addContribution,
  type Counters,
  eachCounter,
  eachHistogram,
  type HistogramName,
  histogramNames,
  histograms,
  type Rollup,
} from './counters.rules.js';
import {
  type Admission,
  admittedContribution,
  admittedPerAccountDay,
  type Contribution,
  contributionOf,
  isNewAccount,
  isOutcome,
  sameContribution,
} from './what-counts.rules.js';

/** What an account did in one corridor of one anchor on one UTC day. */
export interface AccountDay {
  /** Intents that were admitted to the account-day; an admission is never withdrawn. */
  admitted: number;
  /** Admitted intents that are outcomes now; above zero, the account-day counts for the card. */
  counting: number;
  /** The intents in `counting` that the ledger verifies. */
  verified: number;
}

/** What a batch adds to the roll-up of one anchor, corridor and UTC day. Whole numbers of either sign. */
export interface RollupDelta
  extends Counters,
    Pick<Rollup, 'anchorId' | 'corridor' | 'day'>,
    /** Bucket of the histogram → change. */
    Record<HistogramName, Map<number, number>> {}

export interface AggregationPlan {
  /** The changes of roll-ups, keyed by `rollupKey`. */
  rollups: Map<string, RollupDelta>;
  /** The states of account-days to store, keyed by `accountDayKey`. */
  accountDays: Map<string, AccountDay>;
  /** The UTC day of the first outcome per account, if that is new or earlier than was known. */
  firstDays: Map<string, string>;
  /** What the roll-ups hold of each intent once the plan is committed. */
  intents: CountedIntent[];
}

type Place = Pick<Rollup, 'anchorId' | 'corridor'>;

/** Sorts by anchor, day and corridor: a space sorts before every character that they may contain. */
function rollupKey(place: Place, day: string): string {
  return `${place.anchorId} ${day} ${place.corridor}`;
}

export function accountDayKey(intent: Place & Pick<AggregatableIntent, 'account'>, day: string): string {
  return `${rollupKey(intent, day)} ${intent.account}`;
}

/** The account-days that aggregating or recounting these intents may touch. */
export function accountDaysOf(intents: readonly AggregatableIntent[]): string[] {
  const keys = new Set<string>();
  for (const intent of intents) {
    if (intent.admission?.admitted) keys.add(accountDayKey(intent, intent.admission.day));
    if (intent.counted !== null) keys.add(accountDayKey(intent, intent.counted.day));
    const wanted = contributionOf(intent);
    if (wanted !== null) keys.add(accountDayKey(intent, wanted.day));
  }
  return [...keys];
}

/**
 * Turns a batch of changed intents into what must be written. `stored` holds the account-days by key; absent ones are
 * empty. `firstDays` holds the first day of every account of the batch that had an outcome before. Among intents that
 * still need admission to their account-day, the earlier outcome comes first.
 */
export function planAggregation(
  intents: readonly AggregatableIntent[],
  stored: ReadonlyMap<string, AccountDay>,
  firstDays: ReadonlyMap<string, string> = new Map(),
): AggregationPlan {
  const plan = emptyPlan();
  for (const intent of [...intents].sort(byOutcome)) {
    const wanted = contributionOf(intent);
    const admission = admit(intent, wanted, plan, stored, firstDays);
    const counted = admittedContribution(wanted, admission);
    apply(intent, intent.counted, -1, plan, stored);
    apply(intent, counted, 1, plan, stored);
    plan.intents.push({ _id: intent._id, counted, admission });
  }
  return plan;
}

export type RebuildPlan = Pick<AggregationPlan, 'rollups' | 'accountDays'> & {
  /** Aggregated intents whose contribution in the roll-ups differs from the one by the current rules. */
  stale: string[];
};

/**
 * What a rebuild adds to an empty generation for these intents. A pending intent is added with its counted contribution,
 * as in the generation in force. With `keepCounted`, so is a stale one, which is then aggregated like any other change.
 */
export function planRebuild(
  intents: readonly AggregatableIntent[],
  stored: ReadonlyMap<string, AccountDay>,
  options: { keepCounted: boolean },
): RebuildPlan {
  const plan = emptyPlan();
  const stale: string[] = [];
  for (const intent of intents) {
    const admission = intent.admission ?? null;
    if (admission?.admitted === true) touch(intent, admission.day, plan, stored).admitted += 1;
    const now = admittedContribution(contributionOf(intent), admission);
    const isStale = !intent.pendingAggregation && !sameContribution(now, intent.counted);
    if (isStale) stale.push(intent._id);
    const entered = intent.pendingAggregation || (isStale && options.keepCounted) ? intent.counted : now;
    apply(intent, entered, 1, plan, stored);
  }
  return { rollups: plan.rollups, accountDays: plan.accountDays, stale };
}

function byOutcome(a: AggregatableIntent, b: AggregatableIntent): number {
  const difference = (a.outcome?.recordedAt.getTime() ?? 0) - (b.outcome?.recordedAt.getTime() ?? 0);
  return difference !== 0 ? difference : a._id < b._id ? -1 : 1;
}

function admit(
  intent: AggregatableIntent,
  wanted: Contribution | null,
  plan: AggregationPlan,
  stored: ReadonlyMap<string, AccountDay>,
  firstDays: ReadonlyMap<string, string>,
): Admission | null {
  // Intents stored before this member existed lack it.
  const decided = intent.admission ?? null;
  if (wanted === null || decided?.day === wanted.day) return decided;
  const accountDay = touch(intent, wanted.day, plan, stored);
  const admitted = accountDay.admitted < admittedPerAccountDay;
  if (!admitted) return { day: wanted.day, admitted };
  accountDay.admitted += 1;
  const known = plan.firstDays.get(intent.account) ?? firstDays.get(intent.account);
  if (known === undefined || wanted.day < known) plan.firstDays.set(intent.account, wanted.day);
  const isNew = known === undefined || isNewAccount(known, wanted.day);
  return { day: wanted.day, admitted, ...(isNew ? { newAccount: true } : {}) };
}

function emptyPlan(): AggregationPlan {
  return { rollups: new Map(), accountDays: new Map(), firstDays: new Map(), intents: [] };
}

function apply(
  intent: AggregatableIntent,
  contribution: Contribution | null,
  sign: 1 | -1,
  plan: AggregationPlan,
  stored: ReadonlyMap<string, AccountDay>,
): void {
  if (contribution === null) return;
  const delta = touchRollup(intent, contribution.day, plan);
  addContribution(delta, contribution, sign);
  for (const name of histogramNames) {
    const bucket = histograms[name](contribution);
    if (bucket !== null) delta[name].set(bucket, (delta[name].get(bucket) ?? 0) + sign);
  }
  if (!isOutcome(contribution)) return;
  const accountDay = touch(intent, contribution.day, plan, stored);
  const { counting, verified } = accountDay;
  accountDay.counting += sign;
  if (accountDay.counting > 0 !== counting > 0) delta.accountDays += sign;
  if (contribution.verified !== 1) return;
  accountDay.verified += sign;
  if (accountDay.verified > 0 !== verified > 0) delta.verifiedAccountDays += sign;
}

function touch(
  intent: AggregatableIntent,
  day: string,
  plan: AggregationPlan,
  stored: ReadonlyMap<string, AccountDay>,
): AccountDay {
  const key = accountDayKey(intent, day);
  let accountDay = plan.accountDays.get(key);
  if (accountDay === undefined) {
    accountDay = { admitted: 0, counting: 0, verified: 0, ...stored.get(key) };
    plan.accountDays.set(key, accountDay);
  }
  return accountDay;
}

function touchRollup(place: Place, day: string, plan: AggregationPlan): RollupDelta {
  const key = rollupKey(place, day);
  let delta = plan.rollups.get(key);
  if (delta === undefined) {
    const { anchorId, corridor } = place;
    delta = { anchorId, corridor, day, ...eachCounter(() => 0), ...eachHistogram(() => new Map()) };
    plan.rollups.set(key, delta);
  }
  return delta;
}
