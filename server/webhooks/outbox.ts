import type { EventData, EventName } from '../../contract/schemas/events.js';
import type { ClientSession } from '../mongo/transactions.js';
import type { Clock, NewId } from '../ports.js';
import type { OutboxStore } from './outbox-store.js';

/** Writes an event in the transaction of its cause: both are committed or neither is. Returns the event id. */
export type Emit = <N extends EventName>(
  session: ClientSession,
  event: N,
  data: EventData<N>,
) => Promise<string>;

export function createEmit(deps: { outbox: Pick<OutboxStore, 'add'>; clock: Clock; newId: NewId }): Emit {
  return async (session, event, data) => {
    const _id = `evt_${deps.newId()}`;
    await deps.outbox.add(session, { _id, event, data, createdAt: new Date(deps.clock()), open: true });
    return _id;
  };
}
