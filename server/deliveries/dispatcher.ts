import { setTimeout as rest } from 'node:timers/promises';
import { isMongoUnavailable } from '../mongo/failures.js';
import type { Clock, Logger, NewId } from '../ports.js';
import { newDelivery, queueKey, retentionMs, timedId } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import { createEndpointQueue, type EndpointQueue, type EndpointQueueDeps } from './endpoint-queue.js';
import type { OutboxDocument, OutboxStore } from './outbox-store.js';

/** Makes deliveries of events and sees to it that every queue with work is worked on. */
export interface Dispatcher {
  /** Looks once: makes deliveries of new events, and wakes every queue in which something is due. */
  dispatch(): Promise<void>;
  /** Looks soon, for everything or for new events alone; a failure is logged. */
  wake(what: 'everything' | 'events'): void;
  /** Deletes the deliveries of a webhook that was deleted, in steps and in the background. */
  forget(webhookId: string): void;
  /** Waits for the look under way, and for what is being sent. */
  stop(): Promise<void>;
}

export interface DispatcherDeps extends Omit<EndpointQueueDeps, 'report' | 'store'> {
  outbox: OutboxStore;
  store: DeliveryStore;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}

/** Looks follow each other no faster, so that a stream of events is taken in batches; the first look is at once. */
const restBetweenLooksMs = 20;
/** Events of one step; a full step means that there may be more. */
const eventsAtOnce = 500;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { outbox, store, clock, newId, logger } = deps;
  const queues = new Map<string, EndpointQueue>();
  let looking: Promise<void> | undefined;
  /** What is asked for and not yet looked for: events are looked for in every look, due deliveries only if asked. */
  let again = false;
  let dueWanted = false;
  let stopped = false;

  /** One look at a time; whoever asks during one is answered by another after it. */
  function dispatch(): Promise<void> {
    again = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function look(): Promise<void> {
    while (again && !stopped) {
      again = false;
      const full = await fanOut();
      again ||= full;
      if (dueWanted) await wakeDueQueues();
      if (again && !full) await rest(restBetweenLooksMs);
    }
  }

  /**
   * Makes a delivery of each open event for each of its subscribers. The deliveries come first, then the mark: where a
   * process ends in between, or several do this at once, the unique index of event and webhook leaves the first of each,
   * and all are alike. True means that there may be more events.
   */
  async function fanOut(): Promise<boolean> {
    const events = await outbox.openEvents(eventsAtOnce);
    if (events.length === 0) return false;
    const deliveries = events.flatMap(deliveriesOf);
    await store.add(deliveries);
    for (const key of new Set(deliveries.map(({ lane }) => lane))) queue(key).wake();
    await outbox.close(
      events.map(({ _id }) => _id),
      new Date(clock() + retentionMs),
    );
    return events.length === eventsAtOnce;
  }

  function deliveriesOf(event: OutboxDocument & { now: Date }) {
    return event.subscribers.map((webhookId) =>
      newDelivery({
        id: timedId('dlv', event.createdAt.getTime(), newId()),
        webhookId,
        priority: 'normal',
        test: false,
        event: { ...event, id: event._id },
        now: event.now,
      }),
    );
  }

  async function wakeDueQueues(): Promise<void> {
    dueWanted = false;
    for (const key of await store.dueQueues()) queue(key).wake();
  }

  function queue(key: string): EndpointQueue {
    const known = queues.get(key);
    if (known !== undefined) return known;
    const made = createEndpointQueue(key, { ...deps, report, gone: () => queues.delete(key) });
    queues.set(key, made);
    return made;
  }

  function report(error: unknown): void {
    if (isMongoUnavailable(error)) logger.warn({ err: error }, 'webhook deliveries wait for the database');
    else logger.error({ err: error }, 'webhook deliveries failed; the next look for work tries again');
  }

  return {
    dispatch() {
      dueWanted = true;
      return dispatch();
    },
    wake(what) {
      dueWanted ||= what === 'everything';
      dispatch().catch(report);
    },
    // The queue finds out by itself that its webhook is gone.
    forget(webhookId) {
      if (!stopped) queue(queueKey(webhookId, 'normal')).wake();
    },
    async stop() {
      stopped = true;
      await looking?.catch(() => undefined);
      await Promise.all([...queues.values()].map((one) => one.stop()));
    },
  };
}
