import { createHash } from 'node:crypto';
import type { DeliveryDocument } from '../../../server/deliveries/delivery.rules.js';
import type { OutboxDocument } from '../../../server/deliveries/outbox-store.js';
import type { WebhookDocument } from '../../../server/features/webhooks/store.js';
import { type EntryOf, entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { byKey, doubled } from './ids.rules.js';

/** Every event has one delivery for each subscriber, who got it and acknowledged it; nobody got anything else. */
export function compareDeliveries(
  entries: readonly LedgerEntry[],
  deliveries: readonly DeliveryDocument[],
  events: readonly Pick<OutboxDocument, '_id' | 'subscribers'>[],
  webhooks: readonly Pick<WebhookDocument, '_id' | 'url'>[],
): Finding[] {
  const found: Finding[] = [];
  const add = (id: string, what: string) => found.push({ of: 'deliveries', id, what });
  const urls = new Map(webhooks.map(({ _id, url }) => [_id, url]));
  const made = byKey(deliveries, ({ eventId, webhookId }) => `${eventId} ${webhookId}`);
  const wanted = new Set(events.flatMap(({ _id, subscribers }) => subscribers.map((id) => `${_id} ${id}`)));
  const received = receptions(entries);

  for (const pair of wanted) if (!made.has(pair)) add(pair, 'The event has no delivery for this webhook.');
  for (const { _id, eventId, webhookId, state, body } of deliveries) {
    if (!wanted.has(`${eventId} ${webhookId}`))
      add(_id, 'It is of no event, or of a webhook that is no subscriber.');
    if (state !== 'delivered') add(_id, `It is ${state}, although its receiver acknowledges everything.`);
    const got = received.get(`${eventId} ${urls.get(webhookId)}`) ?? [];
    if (state === 'delivered' && !got.some(isAcknowledged))
      add(_id, 'It is delivered, and its receiver never acknowledged it.');
    if (got.some(({ bodyHash }) => bodyHash !== sha256(body)))
      add(_id, 'Its receiver got another body than is stored.');
  }
  for (const pair of doubled(deliveries, ({ eventId, webhookId }) => `${eventId} ${webhookId}`))
    add(pair, 'The event has several deliveries for this webhook.');
  const sent = new Set(deliveries.map(({ eventId, webhookId }) => `${eventId} ${urls.get(webhookId)}`));
  for (const [pair, got] of received) {
    if (!sent.has(pair)) add(pair, 'A receiver got it, and it is not stored.');
    for (const { fault } of got) if (fault !== null) add(pair, `A receiver could not verify it: ${fault}`);
  }
  return found;
}

/** What receivers got, by event and address. */
function receptions(entries: readonly LedgerEntry[]): Map<string, EntryOf<'delivery_received'>[]> {
  const received = new Map<string, EntryOf<'delivery_received'>[]>();
  for (const entry of entriesOf(entries, 'delivery_received')) {
    const key = `${entry.eventId} ${entry.url}`;
    received.set(key, [...(received.get(key) ?? []), entry]);
  }
  return received;
}

function isAcknowledged({ answered }: EntryOf<'delivery_received'>): boolean {
  return answered !== null && answered >= 200 && answered < 300;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
