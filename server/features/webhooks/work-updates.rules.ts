import type { Verdict } from './delivery-state.rules.js';
import type { AttemptRow, DeliveryRow } from './store.js';

/** How an attempt ended. */
export interface Settlement {
  delivery: Pick<DeliveryRow, '_id' | 'webhookId' | 'attempt'> & { owner: string };
  record: AttemptRow;
  verdict: Verdict;
  /** Until the next attempt, where the verdict is to retry. */
  delayMs: number;
}

/** Attempts kept with a delivery: those of five grants. */
const maxAttemptsKept = 20;

/** The present time as an operand. */
type Now = '$$NOW' | Date;

/** One update of many deliveries. */
export interface WorkUpdate {
  filter: { _id: { $in: string[] }; open: true; owner: string; attempt: number };
  update: Record<string, unknown>[];
}

/** A claim that ended without a record is an attempt of unknown outcome; if it was the last one, that is the end. */
export function claimOfLapsed(token: string, now: Now, claimMs: number): Record<string, unknown> {
  const spent = { $gte: ['$attempt', '$lastAttempt'] };
  const ifSpent = (then: unknown, otherwise: unknown) => ({ $cond: [spent, then, otherwise] });
  const unknown = {
    attempt: '$attempt',
    at: '$claimedAt',
    outcome: 'unknown',
    status: null,
    elapsedMs: null,
    answer: null,
  };
  return {
    attempts: kept(unknown),
    attempt: ifSpent('$attempt', { $add: ['$attempt', 1] }),
    owner: ifSpent(null, token),
    claimedAt: ifSpent(null, now),
    due: { $add: [now, claimMs] },
    open: { $not: [spent] },
    state: ifSpent('exhausted', '$state'),
    settledAt: ifSpent(now, null),
  };
}

/**
 * Records of attempts in few updates: one for the deliveries of a claim that ended alike, in which each finds its own
 * record (*measured*: 33 µs of the database a delivery, against 53 µs by an update of its own). Each matches only while
 * that very claim lasts.
 */
export function settlementUpdates(settlements: readonly Settlement[], now: Now): WorkUpdate[] {
  const alike = new Map<string, Settlement[]>();
  for (const settlement of settlements) {
    const { delivery, verdict } = settlement;
    const key = `${verdict.state} ${delivery.attempt} ${delivery.owner}`;
    const others = alike.get(key);
    if (others === undefined) alike.set(key, [settlement]);
    else others.push(settlement);
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [updateOf(group, first, now)];
  });
}

function updateOf(group: readonly Settlement[], first: Settlement, now: Now): WorkUpdate {
  const ids = group.map(({ delivery }) => delivery._id);
  const place = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  // As literals: an answer may begin with a dollar sign, which would make it an expression.
  const own = (values: readonly unknown[]) => ({ $arrayElemAt: [{ $literal: values }, place] });
  const attempts = kept(own(group.map(({ record }) => record)));
  const { owner, attempt } = first.delivery;
  const { state } = first.verdict;
  const change =
    state === 'pending'
      ? { due: { $add: [now, own(group.map(({ delayMs }) => delayMs))] } }
      : { state, open: false, settledAt: own(group.map(({ record }) => endOf(record))) };
  return {
    filter: { _id: { $in: ids }, open: true, owner, attempt },
    update: [{ $set: { ...change, attempts, owner: null, claimedAt: null } }],
  };
}

function endOf({ at, elapsedMs }: AttemptRow): Date {
  return new Date(at.getTime() + (elapsedMs ?? 0));
}

/** The attempts with one more. */
function kept(attempt: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', [attempt]] }, -maxAttemptsKept] };
}
