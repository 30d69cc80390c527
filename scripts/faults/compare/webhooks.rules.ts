import type { WebhookDocument } from '../../../server/features/webhooks/store.js';
import { entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { byKey, doubled } from './ids.rules.js';

/** Compares acknowledged subscriptions with the stored ones, both ways. */
export function compareWebhooks(
  entries: readonly LedgerEntry[],
  webhooks: readonly Pick<WebhookDocument, '_id' | 'url' | 'events'>[],
): Finding[] {
  const found: Finding[] = [];
  const add = (id: string, what: string) => found.push({ of: 'webhooks', id, what });
  const stored = byKey(webhooks, ({ _id }) => _id);
  const sent = new Set(entriesOf(entries, 'webhook_sent').map(({ url }) => url));
  for (const { webhookId, url, events } of entriesOf(entries, 'webhook_acknowledged')) {
    const webhook = stored.get(webhookId);
    if (webhook === undefined) add(webhookId, 'It was acknowledged and is lost.');
    else if (webhook.url !== url || [...webhook.events].sort().join() !== [...events].sort().join())
      add(webhookId, 'It is stored with another address or subscription than acknowledged.');
  }
  for (const { _id, url } of webhooks)
    if (!sent.has(url)) add(_id, 'It is stored, and nobody registered it.');
  for (const url of doubled(webhooks, (webhook) => webhook.url))
    add(url, 'One registration made several webhooks.');
  return found;
}
