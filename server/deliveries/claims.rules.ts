import { type AfterAttempt, attemptsGranted } from './attempts.rules.js';
import {
  type AttemptDocument,
  type Claimed,
  lastOf,
  type Posts,
  type Priority,
  queueKey,
  retentionMs,
} from './delivery.rules.js';

/** One field of an update as an aggregation expression; `$$NOW` is the time of the database. */
type Fields = Record<string, unknown>;

/** How an attempt ended, and what follows. */
export interface FinishedAttempt {
  delivery: Pick<Claimed, '_id' | 'webhookId' | 'attempt' | 'owner'>;
  posts: Posts;
  after: AfterAttempt;
  /** The delay before the next attempt, if there is one. */
  delayMs: number;
}

/** How many POSTs are stored with a delivery: those of five grants, if no rotation was under way. */
const maxAttemptsKept = 20;

/** A claim counts its attempt before the attempt is made. */
export function freshClaim(owner: string, now: Date, claimMs: number): Fields {
  return {
    $set: { owner, claimedAt: now, due: new Date(now.getTime() + claimMs) },
    $inc: { attempt: 1 },
  };
}

/**
 * The claim of a delivery whose last claim expired without a record: that counts as an attempt of unknown outcome. If
 * it was the last attempt granted, the delivery is exhausted and not claimed.
 */
export function lapsedClaim(owner: string, claimMs: number): Fields {
  const exhausted = { $gte: ['$attempt', '$lastAttempt'] };
  const unknown = {
    attempt: '$attempt',
    at: '$claimedAt',
    outcome: 'unknown',
    status: null,
    elapsedMs: null,
    answer: null,
    signedWith: null,
  };
  return {
    attempts: withPosts([unknown]),
    attempt: { $cond: [exhausted, '$attempt', { $add: ['$attempt', 1] }] },
    owner: { $cond: [exhausted, null, owner] },
    claimedAt: { $cond: [exhausted, null, '$$NOW'] },
    due: { $add: ['$$NOW', claimMs] },
    open: { $not: [exhausted] },
    state: { $cond: [exhausted, 'exhausted', '$state'] },
    settledAt: { $cond: [exhausted, '$$NOW', null] },
  };
}

/** A claim handed back before its attempt began: due at once, and the attempt does not count. */
export const handedBack: Fields = {
  owner: null,
  claimedAt: null,
  due: '$$NOW',
  attempt: { $subtract: ['$attempt', 1] },
};

/** One update of several deliveries. It matches a delivery only while the claim of the attempt is valid. */
export interface RecordUpdate {
  filter: { _id: { $in: string[] }; open: true; owner: string; attempt: number };
  update: Fields[];
}

/**
 * Makes one update for all attempts of one claim with the same outcome, in which each delivery finds its own record:
 * one update per delivery would cost the database more (docs/adr/0003-deliveries.md has the figures).
 */
export function recordsOfEqualOutcome(attempts: readonly FinishedAttempt[]): RecordUpdate[] {
  const groups = new Map<string, FinishedAttempt[]>();
  for (const finished of attempts) {
    const { delivery, after } = finished;
    const key = `${after.state} ${delivery.attempt} ${delivery.owner}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finished]);
    else group.push(finished);
  }
  return [...groups.values()].flatMap(recordUpdate);
}

/** @param group attempts with the same state, number and owner */
function recordUpdate(group: readonly FinishedAttempt[]): RecordUpdate[] {
  const [first] = group;
  if (first === undefined) return [];
  const ids = group.map(({ delivery }) => delivery._id);
  const index = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  // The values are literals: an answer may begin with a dollar sign, which would make it an expression.
  const own = (values: readonly unknown[]) => ({ $arrayElemAt: [{ $literal: values }, index] });
  const { state } = first.after;
  const change =
    state === 'pending'
      ? { due: { $add: ['$$NOW', own(group.map(({ delayMs }) => delayMs))] } }
      : { state, open: false, settledAt: own(group.map(({ posts }) => endOf(lastOf(posts)))) };
  const attempts = withPosts(own(group.map(({ posts }) => posts)));
  const { owner, attempt } = first.delivery;
  return [
    {
      filter: { _id: { $in: ids }, open: true, owner, attempt },
      update: [{ $set: { ...change, attempts, owner: null, claimedAt: null } }],
    },
  ];
}

function endOf({ at, elapsedMs }: AttemptDocument): Date {
  return new Date(at.getTime() + (elapsedMs ?? 0));
}

/**
 * The update of a delivery that an admin sends again. If it had ended, or its attempts are used up, it gets four more. If it waits, it is
 * due now. If it is being sent, it stays with its owner; only its retries move to the queue of the admin.
 */
export function sentAgain(webhookId: string, nowMs: number, priority: Priority = 'admin'): Fields {
  const beingSent = { $and: [{ $ne: ['$owner', null] }, { $gt: ['$due', '$$NOW'] }] };
  // Its last attempt was made, or was lost with the process that claimed it: without more it would end as exhausted.
  const usedUp = { $and: [{ $not: [beingSent] }, { $gte: ['$attempt', '$lastAttempt'] }] };
  const ended = { $or: [{ $not: ['$open'] }, usedUp] };
  return {
    lastAttempt: { $cond: [ended, { $add: ['$attempt', attemptsGranted] }, '$lastAttempt'] },
    state: 'pending',
    open: true,
    settledAt: null,
    lane: queueKey(webhookId, priority),
    due: { $cond: [beingSent, '$due', '$$NOW'] },
    expiresAt: new Date(nowMs + retentionMs),
  };
}

/**
 * The update of a delivery that is sent again together with others. It goes to the normal queue, which holds it while
 * the webhook is disabled: a receiver that refuses again gets only the POSTs that are under way.
 */
export function sentAgainInBulk(webhookId: string, nowMs: number): Fields {
  return { ...sentAgain(webhookId, nowMs, 'normal'), resentInBulkAt: '$$NOW' };
}

/** @param posts an array, or an expression for one */
function withPosts(posts: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', posts] }, -maxAttemptsKept] };
}
