import { mongo } from 'mongoose';
import type { Clock, NewId } from '../../ports.js';
import { newDelivery, retentionMs, timedId } from './new-delivery.rules.js';
import type { OutboxModel, OutboxRow } from './outbox.js';
import type { Present } from './present.js';
import { type DeliveryModel, type DeliveryRow, laneOf } from './store.js';

/** Events of one step; a full step means that there may be more. */
const eventsAtOnce = 500;
const insertsAtOnce = 1_000;
const duplicateKey = 11_000;

/** One step; true means that there may be more events. `filled` is told of each lane that has deliveries by it. */
export type FanOut = (filled: (lane: string) => void) => Promise<boolean>;

/**
 * Makes a delivery of each open event for each of its subscribers. Deliveries first, then the mark: killed in between,
 * or done by several at once, the unique index of event and webhook leaves the first of each, and all are the same.
 */
export function createFanOut(deps: {
  outbox: OutboxModel;
  deliveries: DeliveryModel;
  present: Present;
  clock: Clock;
  newId: NewId;
}): FanOut {
  const { outbox, present, clock, newId } = deps;
  const deliveries = deps.deliveries.collection as unknown as mongo.Collection<DeliveryRow>;

  /** Oldest first, with the time of the database beside each. */
  async function openEvents(): Promise<(OutboxRow & { now: Date })[]> {
    return outbox.aggregate<OutboxRow & { now: Date }>([
      { $match: { open: true } },
      { $sort: { createdAt: 1 } },
      { $limit: eventsAtOnce },
      { $set: { now: present() } },
    ]);
  }

  function deliveriesOf(row: OutboxRow & { now: Date }): DeliveryRow[] {
    const nowMs = clock();
    return row.subscribers.map((webhookId) =>
      newDelivery({
        id: timedId('dlv', row.createdAt.getTime(), newId()),
        webhookId,
        lane: laneOf(webhookId, false),
        test: false,
        event: { ...row, id: row._id },
        nowMs,
        due: row.now,
      }),
    );
  }

  async function insertNew(rows: DeliveryRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += insertsAtOnce) {
      try {
        await deliveries.insertMany(rows.slice(from, from + insertsAtOnce), { ordered: false });
      } catch (error) {
        if (!onlyDuplicates(error)) throw error;
      }
    }
  }

  return async (filled) => {
    const events = await openEvents();
    if (events.length === 0) return false;
    const made = events.flatMap(deliveriesOf);
    await insertNew(made);
    for (const lane of new Set(made.map(({ lane }) => lane))) filled(lane);
    await outbox.updateMany(
      { _id: { $in: events.map(({ _id }) => _id) }, open: true },
      { $set: { open: false, expiresAt: new Date(clock() + retentionMs) } },
    );
    return events.length === eventsAtOnce;
  };
}

function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false;
  const faults = [error.writeErrors].flat();
  return (
    faults.length > 0 &&
    faults.every(({ code }) => code === duplicateKey) &&
    error.result.getWriteConcernError() === undefined
  );
}
