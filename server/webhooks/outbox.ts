import type { EventData, EventName } from '../../contract/schemas/events.js';
import type { ClientSession } from '../mongo/transactions.js';
import type { Clock, NewId } from '../ports.js';
import type { OutboxStore } from './outbox-store.js';
import type { WebhookStore } from './webhook-store.js';

/**
 * Writes an event in the transaction of its cause: both are committed or neither is. Returns the event id. The snapshot
 * of that transaction decides which webhooks get the event: one registered before the transaction began gets it, one
 * registered after the commit does not, whenever and wherever its deliveries are made.
 */
export type Emit = <N extends EventName>(
  session: ClientSession,
  event: N,
  data: EventData<N>,
) => Promise<string>;

export function createEmit(deps: {
  outbox: Pick<OutboxStore, 'add'>;
  webhooks: Pick<WebhookStore, 'subscribersOf'>;
  clock: Clock;
  newId: NewId;
}): Emit {
  const { outbox, webhooks, clock, newId } = deps;
  return async (session, event, data) => {
    const id = `evt_${newId()}`;
    const subscribers = await webhooks.subscribersOf(session, event);
    await outbox.add(session, { _id: id, event, data, createdAt: new Date(clock()), subscribers });
    return id;
  };
}
