import type { DeliveryAnswer, WebhookAnswer } from '../../../contract/schemas/webhooks.js';
import { shownState } from './delivery-state.rules.js';
import { secretsInForce } from './secrets.rules.js';
import type { DeliveryRow, WebhookRow } from './store.js';

/** A webhook as admins see it: of its secrets, the times alone. */
export function toWebhookAnswer(row: WebhookRow, nowMs: number): WebhookAnswer {
  const inForce = secretsInForce(row.secrets, nowMs);
  const ends = inForce.flatMap(({ until }) => (until === null ? [] : [until.getTime()]));
  return {
    id: row._id,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    disabled:
      row.disabled === null
        ? null
        : {
            reason: row.disabled.reason,
            status: row.disabled.status,
            at: row.disabled.at.toISOString(),
          },
    secretChangedAt: (row.secrets.at(-1)?.since ?? row.createdAt).toISOString(),
    overlapEndsAt: ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString(),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** @param enabled whether its webhook is */
export function toDeliveryAnswer(row: DeliveryRow, enabled: boolean): DeliveryAnswer {
  const state = shownState(row.state, row.lane !== row.webhookId, enabled);
  return {
    id: row._id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    event: row.event,
    test: row.test,
    state,
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: state === 'pending' && row.owner === null ? row.due.toISOString() : null,
    settledAt: row.settledAt?.toISOString() ?? null,
    body: row.body,
    attempts: row.attempts.map(({ attempt, at, outcome, status, elapsedMs, answer }) => ({
      attempt,
      at: at.toISOString(),
      outcome,
      status,
      elapsedMs,
      answer,
    })),
  };
}
