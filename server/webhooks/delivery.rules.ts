import type { EventEnvelope, EventName } from '../../contract/schemas/events.js';
import type { AttemptOutcome, DeliveryAttempt, DeliveryState } from '../../contract/schemas/webhooks.js';
import type { OutboxDocument } from './outbox-store.js';

/** One event on its way to one webhook. Its id, event id and body never change. */
export interface DeliveryDocument {
  _id: string;
  webhookId: string;
  eventId: string;
  event: EventName;
  test: boolean;
  body: string;
  state: Exclude<DeliveryState, 'held'>;
  /** A test, or sent again by an admin: it goes past any backlog, and to a webhook that is disabled, too. */
  byAdmin: boolean;
  /** When the next attempt is due or, while the delivery is claimed, when the claim expires. */
  due: Date;
  /** The token of the present claim. */
  owner: string | null;
  claimedAt: Date | null;
  /** Attempts counted so far; a claim counts its attempt before the attempt is made. */
  attempt: number;
  /** The number of the last attempt granted. */
  lastAttempt: number;
  attempts: AttemptDocument[];
  createdAt: Date;
  settledAt: Date | null;
  /** When it was last sent again together with other failed deliveries; absent if it never was. */
  resentInBulkAt?: Date;
  expiresAt: Date;
}

/** Pending deliveries: those of events, and those that an admin sends. */
export const inTurn = { state: 'pending', byAdmin: false } as const;
export const byAdmin = { state: 'pending', byAdmin: true } as const;
export const failedStates: DeliveryDocument['state'][] = ['refused', 'exhausted'];

/** One POST as stored. */
export type AttemptDocument = Omit<DeliveryAttempt, 'at'> & { at: Date };

/**
 * The POSTs of one attempt, in order. There are several only while a secret is being replaced: they share the number of
 * the attempt and count as one, and the last one decides the outcome.
 */
export type Posts = [AttemptDocument, ...AttemptDocument[]];

export function lastOf(posts: Posts): AttemptDocument {
  return posts.at(-1) ?? posts[0];
}

/** A delivery that this process has claimed and may send until the claim ends. */
export type Claimed = DeliveryDocument & { owner: string };

/** `failures`: how many attempts of the present grant have failed by now. */
export type AfterAttempt =
  | { state: 'delivered' | 'refused' | 'exhausted' }
  | { state: 'pending'; failures: number };

/** How an attempt ended, what follows, and the delay until the next one, if there is one. */
export interface FinishedAttempt {
  delivery: Claimed;
  posts: Posts;
  after: AfterAttempt;
  delayMs: number;
  /** That of the webhook when the attempt was made. */
  revision: number;
}

/** How long events and deliveries are kept, those held for a disabled webhook included. */
export const retentionMs = 30 * 86_400_000;

/** Interface specification, "Limits": at most 3 retries after the first attempt. Sending again grants as many again. */
export const attemptsGranted = 4;

/** The body of every delivery of an event, by every instance. */
export function bodyOf(event: DeliveredEvent): string {
  const { event: name, _id: id, createdAt, data } = event;
  const envelope: EventEnvelope = { event: name, id, createdAt: createdAt.toISOString(), data };
  return JSON.stringify(envelope);
}

export type DeliveredEvent = Pick<OutboxDocument, '_id' | 'event' | 'createdAt' | 'data'>;

/** A delivery of an event that is due at once. */
export function newDelivery(of: {
  id: string;
  webhookId: string;
  event: DeliveredEvent;
  body: string;
  test?: boolean;
  now: Date;
}): DeliveryDocument {
  const { id, webhookId, event, body, test = false, now } = of;
  return {
    _id: id,
    webhookId,
    eventId: event._id,
    event: event.event,
    test,
    body,
    state: 'pending',
    byAdmin: test,
    due: now,
    owner: null,
    claimedAt: null,
    attempt: 0,
    lastAttempt: attemptsGranted,
    attempts: [],
    createdAt: now,
    settledAt: null,
    expiresAt: new Date(now.getTime() + retentionMs),
  };
}

/** Interface specification, "Delivery" 3 to 5. A redirect is not followed and counts as the receiver's failure. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** @param lastAttempt the number of the last attempt granted */
export function afterAttempt(outcome: AttemptOutcome, attempt: number, lastAttempt: number): AfterAttempt {
  if (outcome === 'acknowledged') return { state: 'delivered' };
  if (outcome === 'refused') return { state: 'refused' };
  if (attempt >= lastAttempt) return { state: 'exhausted' };
  return { state: 'pending', failures: attempt - lastAttempt + attemptsGranted };
}

/** Whether it was claimed for its last attempt by a process that never recorded it. */
export function isLapsedForGood({ owner, attempt, lastAttempt }: DeliveryDocument): boolean {
  return owner !== null && attempt >= lastAttempt;
}

/** `held` is not stored: it is a pending delivery whose webhook is disabled, unless an admin sends it. */
export function shownState(
  { state, byAdmin }: Pick<DeliveryDocument, 'state' | 'byAdmin'>,
  webhookEnabled: boolean,
): DeliveryState {
  return state === 'pending' && !webhookEnabled && !byAdmin ? 'held' : state;
}

/** `whk_` or `dlv_`, the time in 12 hex digits, and a fresh id: ids sort by time. */
export function timedId(prefix: 'whk' | 'dlv', nowMs: number, freshId: string): string {
  return `${prefix}_${nowMs.toString(16).padStart(12, '0')}${freshId.slice(0, 32)}`;
}
