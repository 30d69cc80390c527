import {
  type AfterAttempt,
  type AttemptDocument,
  attemptsGranted,
  type Claimed,
  queueKey,
  retentionMs,
} from './delivery.rules.js';

/** One field of an update as an aggregation expression; `$$NOW` is the time of the database. */
type Fields = Record<string, unknown>;

/** How an attempt ended, and what follows. */
export interface FinishedAttempt {
  delivery: Pick<Claimed, '_id' | 'webhookId' | 'attempt' | 'owner'>;
  attempt: AttemptDocument;
  after: AfterAttempt;
  /** Until the next attempt, where one follows. */
  delayMs: number;
}

/** Attempts kept with a delivery: those of five grants. */
const maxAttemptsKept = 20;

/**
 * A claim counts its attempt before that is made. A delivery that has an owner already was claimed before, and its claim
 * ended without a record: that is an attempt of unknown outcome and, if it was the last one granted, the end.
 */
export function claimedBy(owner: string, claimMs: number): Fields {
  const lapsed = { $ne: ['$owner', null] };
  const spent = { $gte: ['$attempt', '$lastAttempt'] };
  const exhausted = { $and: [lapsed, spent] };
  const unknown = {
    attempt: '$attempt',
    at: '$claimedAt',
    outcome: 'unknown',
    status: null,
    elapsedMs: null,
    answer: null,
  };
  return {
    attempts: { $cond: [lapsed, withAttempt(unknown), '$attempts'] },
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

/** An update of a delivery. Where it ends no time of the database is needed, and a plain update costs less. */
export function recorded({ attempt, after, delayMs }: FinishedAttempt): Fields | Fields[] {
  const free = { owner: null, claimedAt: null };
  if (after.state === 'pending') {
    // As a literal: an answer may begin with a dollar sign, which would make it an expression.
    const attempts = withAttempt({ $literal: attempt });
    return [{ $set: { ...free, attempts, due: { $add: ['$$NOW', delayMs] } } }];
  }
  const settledAt = new Date(attempt.at.getTime() + (attempt.elapsedMs ?? 0));
  return {
    $set: { ...free, state: after.state, open: false, settledAt },
    $push: { attempts: { $each: [attempt], $slice: -maxAttemptsKept } },
  };
}

/**
 * Sent again by an admin. One that had ended gets four attempts anew. One that waits is due now. One that is being sent
 * stays with its owner; only its retries move to the queue of the admin.
 */
export function sentAgain(webhookId: string, nowMs: number): Fields {
  const beingSent = { $ne: ['$owner', null] };
  return {
    lastAttempt: { $cond: ['$open', '$lastAttempt', { $add: ['$attempt', attemptsGranted] }] },
    state: 'pending',
    open: true,
    settledAt: null,
    lane: queueKey(webhookId, 'admin'),
    due: { $cond: [beingSent, '$due', '$$NOW'] },
    expiresAt: new Date(nowMs + retentionMs),
  };
}

function withAttempt(attempt: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', [attempt]] }, -maxAttemptsKept] };
}
