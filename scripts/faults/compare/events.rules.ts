import type { EventData, EventName } from '../../../contract/schemas/events.js';
import type { OutboxDocument } from '../../../server/deliveries/outbox-store.js';
import { stepsOf } from '../../../server/features/intents/steps.rules.js';
import type { LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { doubled } from './ids.rules.js';
import type { Stored } from './stored.js';

/** An event's time is the beginning of its transaction. */
const surelyBeforeMs = 10_000;

type Causes = Pick<Stored, 'intents' | 'disputes' | 'batches' | 'webhooks'> & {
  anchorIds: readonly string[];
};

/** Every cause has its event, once; no event lacks its cause; each goes to those who were subscribed before its cause. */
export function compareEvents(
  entries: readonly LedgerEntry[],
  events: readonly OutboxDocument[],
  causes: Causes,
): Finding[] {
  const found: Finding[] = [];
  const add = (id: string, what: string) => found.push({ of: 'events', id, what });
  const expected = new Set(causesOf(causes));
  const stored = new Set(events.map(causeOf));
  for (const cause of expected) if (!stored.has(cause)) add(cause, 'It happened, and its event is lost.');
  for (const cause of doubled(events, causeOf)) add(cause, 'It has several events.');
  const known = new Set(causes.webhooks.map(({ _id }) => _id));
  const subscribedBefore = subscriptions(entries, causes.webhooks);
  for (const event of events) {
    const { _id, open, subscribers } = event;
    if (!expected.has(causeOf(event))) add(_id, `It tells of ${causeOf(event)}, which did not happen.`);
    if (open) add(_id, 'No deliveries were made of it.');
    for (const id of subscribers) if (!known.has(id)) add(_id, `Its subscriber ${id} is no webhook.`);
    for (const id of subscribedBefore(event))
      if (!subscribers.includes(id))
        add(_id, `The webhook ${id} was subscribed before its cause, and does not get it.`);
  }
  return found;
}

function causesOf({ intents, disputes, batches, anchorIds }: Causes): string[] {
  const eventOfStep: Partial<Record<string, EventName>> = {
    settled: 'intent.settled',
    recovered: 'intent.settled',
    failed: 'intent.failed',
  };
  return [
    ...anchorIds.map((id) => `anchor.onboarded ${id}`),
    ...batches.map(({ header }) => `publisher.tick ${header.sequence}`),
    ...intents.flatMap((intent) =>
      stepsOf(intent).flatMap(({ kind }) => {
        const event = eventOfStep[kind];
        return event === undefined ? [] : [`${event} ${intent._id}`];
      }),
    ),
    ...disputes.flatMap(({ _id, status }) => [
      `dispute.created ${_id}`,
      ...(status === 'open' ? [] : [`dispute.resolved ${_id}`]),
    ]),
  ];
}

function causeOf({ event, data }: Pick<OutboxDocument, 'event' | 'data'>): string {
  const of = data as Partial<EventData<'publisher.tick'> & EventData<'dispute.created'>>;
  return `${event} ${of.sequence ?? of.disputeId ?? of.intentHash ?? of.anchorId}`;
}

/**
 * The subscribers of an event. For an intent and its disputes, the ledger's order decides, which needs no clock: webhooks
 * that were acknowledged before the intent was first sent. For anything else, the database's clock decides.
 */
function subscriptions(
  entries: readonly LedgerEntry[],
  stored: Stored['webhooks'],
): (event: OutboxDocument) => string[] {
  const webhooks: { id: string; events: readonly EventName[]; place: number }[] = [];
  const firstSent = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    if (entry.kind === 'webhook_acknowledged')
      webhooks.push({ id: entry.webhookId, events: entry.events, place });
    if (entry.kind === 'intent_sent' && !firstSent.has(entry.intentHash))
      firstSent.set(entry.intentHash, place);
  }
  return ({ event, data, createdAt }) => {
    if (!('intentHash' in data)) {
      const before = (since: Date) => since.getTime() + surelyBeforeMs < createdAt.getTime();
      return stored
        .filter((one) => one.events.includes(event) && before(one.createdAt))
        .map(({ _id }) => _id);
    }
    const sentAt = firstSent.get(data.intentHash);
    if (sentAt === undefined) return [];
    return webhooks
      .filter(({ events, place }) => events.includes(event) && place < sentAt)
      .map(({ id }) => id);
  };
}
