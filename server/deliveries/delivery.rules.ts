import type { EventData, EventEnvelope, EventName } from '../../contract/schemas/events.js';
import type { DeliveryAttempt, DeliveryState } from '../../contract/schemas/webhooks.js';
import { attemptsGranted } from './attempts.rules.js';

/** One event on its way to one webhook. Its id, event id and body never change. */
export interface DeliveryDocument {
  _id: string;
  webhookId: string;
  eventId: string;
  event: EventName;
  test: boolean;
  body: string;
  state: Exclude<DeliveryState, 'held'>;
  /** True exactly while the state is `pending`. */
  open: boolean;
  /** The key of its queue; see `queueKey`. */
  lane: string;
  /** When the next attempt is due or, while the delivery is claimed, when the claim expires. */
  due: Date;
  /** The token of the current claim. */
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

/** Which deliveries of a webhook are listed. */
export interface DeliveryQuery {
  webhookId: string;
  /** Whether the webhook is enabled: pending deliveries of a disabled one are held. */
  enabled: boolean;
  state?: DeliveryState | undefined;
  /** Only those older than the delivery of this id. */
  before?: string | undefined;
  limit: number;
}

/** One POST as stored; documents written before 3.0.0 do not say which secret signed it. */
export type AttemptDocument = Omit<DeliveryAttempt, 'at' | 'signedWith'> & {
  at: Date;
  signedWith?: DeliveryAttempt['signedWith'];
};

/**
 * The POSTs of one attempt, in order. There are several only if a rotation provides several secrets to sign with: they
 * share the number of the attempt and count as one, and the last one decides the outcome.
 */
export type Posts = [AttemptDocument, ...AttemptDocument[]];

export function lastOf(posts: Posts): AttemptDocument {
  return posts.at(-1) ?? posts[0];
}

/** A delivery that this process has claimed and may send until the claim ends. */
export type Claimed = Pick<
  DeliveryDocument,
  '_id' | 'webhookId' | 'eventId' | 'event' | 'test' | 'body' | 'state' | 'attempt' | 'lastAttempt'
> & { owner: string };

/** How long events and deliveries are kept, those held for a disabled webhook included. */
export const retentionMs = 30 * 86_400_000;

/** `admin`: tests and deliveries sent again by an admin go at once, past any backlog and to a disabled webhook, too. */
export type Priority = 'normal' | 'admin';

/** Each webhook has two queues, one per priority. The key is stored with each delivery. */
export function queueKey(webhookId: string, priority: Priority): string {
  return priority === 'admin' ? `${webhookId}!` : webhookId;
}

export function readQueueKey(key: string): { webhookId: string; priority: Priority } {
  return { webhookId: key.replace(/!$/, ''), priority: key.endsWith('!') ? 'admin' : 'normal' };
}

/** `whk_` or `dlv_`, the time in 12 hex digits, and a fresh id: ids sort by time. */
export function timedId(prefix: 'whk' | 'dlv', nowMs: number, freshId: string): string {
  return `${prefix}_${nowMs.toString(16).padStart(12, '0')}${freshId.slice(0, 32)}`;
}

export interface NewDelivery {
  id: string;
  webhookId: string;
  priority: Priority;
  test: boolean;
  event: { id: string; event: EventName; createdAt: Date; data: EventData<EventName> };
  now: Date;
}

/** Makes a delivery that is due at once. Its body depends on the event alone, so every instance makes the same one. */
export function newDelivery({ id, webhookId, priority, test, event, now }: NewDelivery): DeliveryDocument {
  const envelope: EventEnvelope = {
    event: event.event,
    id: event.id,
    createdAt: event.createdAt.toISOString(),
    data: event.data,
  };
  return {
    _id: id,
    webhookId,
    eventId: event.id,
    event: event.event,
    test,
    body: JSON.stringify(envelope),
    state: 'pending',
    open: true,
    lane: queueKey(webhookId, priority),
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

/** A delivery that is inserted as claimed, so that its first attempt counts from the start. */
export function claimedAtOnce(
  delivery: DeliveryDocument,
  { owner, claimMs }: { owner: string; claimMs: number },
): DeliveryDocument & { owner: string } {
  const claimedAt = delivery.due;
  return { ...delivery, owner, claimedAt, due: new Date(claimedAt.getTime() + claimMs), attempt: 1 };
}

/** `held` is not stored: it is a pending delivery of normal priority whose webhook is disabled. */
export function shownState(
  { state, lane }: Pick<DeliveryDocument, 'state' | 'lane'>,
  webhookEnabled: boolean,
): DeliveryState {
  const waits = state === 'pending' && !webhookEnabled && readQueueKey(lane).priority === 'normal';
  return waits ? 'held' : state;
}
