import { setTimeout as rest } from 'node:timers/promises';
import { isMongoUnavailable } from '../mongo/failures.js';
import type { Clock, Logger, NewId } from '../ports.js';
import {
  claimedAtOnce,
  type DeliveryDocument,
  newDelivery,
  queueKey,
  retentionMs,
  timedId,
} from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import { createEndpointQueue, type EndpointQueue, type EndpointQueueDeps } from './endpoint-queue.js';
import type { OutboxDocument, OutboxStore } from './outbox-store.js';
import type { Endpoints } from './ports.js';

/** Makes deliveries of events, and wakes every queue that has due deliveries. */
export interface Dispatcher {
  /** Makes deliveries of new events until there are none, and wakes every queue with due deliveries. */
  dispatch(): Promise<void>;
  /** Starts a pass soon, for everything or for new events alone; a failure is logged. */
  wake(what: 'everything' | 'events'): void;
  /** Deletes the deliveries of a webhook that was deleted, in steps and in the background. */
  forget(webhookId: string): void;
  /** Waits for the pass under way, and for POSTs under way. */
  stop(): Promise<void>;
}

export interface DispatcherDeps extends Omit<EndpointQueueDeps, 'hungry' | 'report' | 'store' | 'endpoints'> {
  outbox: OutboxStore;
  store: DeliveryStore;
  endpoints: Pick<Endpoints, 'find' | 'goneAmong'>;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}

/** The pause between two passes, so that a stream of events is taken in batches; the first pass starts at once. */
const restBetweenLooksMs = 20;
/** While events keep coming, one pass follows another, so the passes themselves look for due deliveries this often. */
const dueIntervalMs = 1_000;

type DeliveriesByQueue = ReadonlyMap<string, readonly DeliveryDocument[]>;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { outbox, store, endpoints, clock, newId, stopwatch, logger, limits } = deps;
  /** The most events of one step: as many as a queue claims at once. A full step means that there may be more. */
  const largestStep = limits.maxBatch;
  const queues = new Map<string, EndpointQueue>();
  /** The queues of deleted webhooks whose deliveries are not all deleted. Settled ones are due in no queue. */
  const forgotten = new Set<string>();
  /** Whether this process has looked for deliveries of webhooks that another one deleted before it was killed. */
  let hasLookedForOrphans = false;
  let looking: Promise<void> | undefined;
  /** Requests for a further pass: every pass handles new events, but due deliveries only if wanted or not seen lately. */
  let again = false;
  let dueWanted = false;
  let dueSeenOn = Number.NEGATIVE_INFINITY;
  /** Ends the wait of `untilHungry`. */
  let goOn: (stepSize: number) => void = () => undefined;
  let stopped = false;

  /** Runs one pass at a time; a call during a pass makes another one follow. */
  function dispatch(): Promise<void> {
    again = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function look(): Promise<void> {
    let stepSize = largestStep;
    while (again && !stopped) {
      again = false;
      const { full, busy } = await fanOut(stepSize);
      stepSize = largestStep;
      again ||= full;
      if (dueWanted || stopwatch() - dueSeenOn >= dueIntervalMs) await wakeDueQueues();
      if (!again) return;
      if (!full) await rest(restBetweenLooksMs);
      else if (busy) stepSize = await untilHungry();
    }
  }

  /** Waits until a quick queue has less to do, at most the time to send a batch. Resolves to the size of the next step. */
  function untilHungry(): Promise<number> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(largestStep), limits.aheadMs);
      goOn = (stepSize) => {
        clearTimeout(timer);
        resolve(stepSize);
      };
    });
  }

  /**
   * Makes a delivery of each open event for each of its subscribers. The deliveries are inserted before the events are
   * closed: if a process ends in between, or several do this at once, the unique index of event and webhook keeps the
   * first of each, and all are alike except for their claims. `full`: there may be more events; `busy`: they may wait
   * for a queue that is busy.
   */
  async function fanOut(stepSize: number): Promise<{ full: boolean; busy: boolean }> {
    const readOn = stopwatch();
    const events = await outbox.openEvents(stepSize);
    if (events.length === 0) return { full: false, busy: false };
    const byQueue = groupByQueue(events.flatMap(deliveriesOf));
    await addAndHandOver(byQueue, readOn);
    await outbox.close(
      events.map(({ _id }) => _id),
      new Date(clock() + retentionMs),
    );
    const busy = [...byQueue.keys()].some((key) => queue(key).isBusy());
    return { full: events.length === stepSize, busy };
  }

  /** Inserts reserved deliveries as claimed and hands them to their queue; wakes the queue for the others. */
  async function addAndHandOver(byQueue: DeliveriesByQueue, readOn: number): Promise<void> {
    const groups = await Promise.all(
      [...byQueue].map(async ([key, deliveries]) => {
        const reservation = await queue(key).reserve(readOn);
        if (reservation === undefined) return { key, claimed: [], unclaimed: deliveries };
        const claim = { owner: reservation.owner, claimMs: limits.claimMs };
        const claimed = deliveries.slice(0, reservation.size).map((one) => claimedAtOnce(one, claim));
        return { key, reservation, claimed, unclaimed: deliveries.slice(claimed.length) };
      }),
    );
    let added: (delivery: DeliveryDocument) => boolean = () => false;
    try {
      const known = await store.add(groups.flatMap(({ claimed, unclaimed }) => [...claimed, ...unclaimed]));
      added = ({ _id }) => !known.has(_id);
    } finally {
      for (const { reservation, claimed } of groups) reservation?.send(claimed.filter(added));
    }
    for (const { key, unclaimed } of groups) if (unclaimed.length > 0) queue(key).wake();
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
    dueSeenOn = stopwatch();
    for (const key of new Set([...forgotten, ...(await store.dueQueues())])) queue(key).wake();
    if (!hasLookedForOrphans) await forgetOrphans();
  }

  async function forgetOrphans(): Promise<void> {
    for (const webhookId of await endpoints.goneAmong(await store.webhookIds())) forget(webhookId);
    hasLookedForOrphans = true;
  }

  /** The queue finds out by itself that its webhook is gone. */
  function forget(webhookId: string): void {
    if (stopped) return;
    const key = queueKey(webhookId, 'normal');
    forgotten.add(key);
    queue(key).wake();
  }

  function queue(key: string): EndpointQueue {
    const known = queues.get(key);
    if (known !== undefined) return known;
    const made = createEndpointQueue(key, {
      ...deps,
      report,
      hungry: (size) => goOn(size),
      gone() {
        queues.delete(key);
        forgotten.delete(key);
      },
    });
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
      const underWay = looking !== undefined;
      const done = dispatch();
      // Who started a pass reports its failure: once, however many wake-ups came meanwhile.
      if (!underWay) done.catch(report);
    },
    forget,
    async stop() {
      stopped = true;
      await looking?.catch(() => undefined);
      await Promise.all([...queues.values()].map((one) => one.stop()));
    },
  };
}

function groupByQueue(deliveries: readonly DeliveryDocument[]): DeliveriesByQueue {
  const groups = new Map<string, DeliveryDocument[]>();
  for (const delivery of deliveries) {
    const group = groups.get(delivery.lane);
    if (group === undefined) groups.set(delivery.lane, [delivery]);
    else group.push(delivery);
  }
  return groups;
}
