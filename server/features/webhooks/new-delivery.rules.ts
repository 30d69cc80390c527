import type { EventData, EventEnvelope, EventName } from '../../../contract/schemas/events.js';
import { attemptsGranted } from './delivery-state.rules.js';
import type { DeliveryRow } from './store.js';

/** How long events, deliveries and what is held of them are kept. */
export const retentionMs = 30 * 86_400_000;

/** `whk_` or `dlv_`, the time in 12 hex digits, and a fresh id: ids sort by time. */
export function timedId(prefix: 'whk' | 'dlv', nowMs: number, freshId: string): string {
  return `${prefix}_${nowMs.toString(16).padStart(12, '0')}${freshId.slice(0, 32)}`;
}

export interface NewDelivery {
  id: string;
  webhookId: string;
  lane: string;
  test: boolean;
  event: { id: string; event: EventName; createdAt: Date; data: EventData<EventName> };
  nowMs: number;
  due: Date;
}

/** A delivery as it begins. The body is fixed here: a function of the event alone, so the same for whoever makes it. */
export function newDelivery({ id, webhookId, lane, test, event, nowMs, due }: NewDelivery): DeliveryRow {
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
    lane,
    due,
    owner: null,
    claimedAt: null,
    attempt: 0,
    lastAttempt: attemptsGranted,
    attempts: [],
    createdAt: new Date(nowMs),
    settledAt: null,
    expiresAt: new Date(nowMs + retentionMs),
  };
}
