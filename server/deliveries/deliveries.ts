import type { EventData, EventName } from '../../contract/schemas/events.js';
import type { ResentDeliveries } from '../../contract/schemas/webhooks.js';
import type { ClientSession } from '../mongo/transactions.js';
import type { Outbound } from '../outbound/outbound.js';
import type { Clock, Logger, NewId, Random } from '../ports.js';
import { createRecorder } from './attempt-recorder.js';
import type { DeliveryDocument, DeliveryQuery } from './delivery.rules.js';
import { newDelivery, timedId } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import { createDispatcher } from './dispatcher.js';
import { createEventWatch } from './event-watch.js';
import { type DeliveryLimits, deliveryLimits } from './limits.js';
import type { OutboxStore } from './outbox-store.js';
import type { DeliveryMeter, Endpoints } from './ports.js';
import { createSender } from './sender.js';
import { createTurns } from './turns.js';

export type { DeliveryDocument } from './delivery.rules.js';
export { createDeliveryStore } from './delivery-store.js';
export { createOutboxStore } from './outbox-store.js';

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

/**
 * Delivers events to webhooks, at least once each. Any number of instances do so at the same time. The path of an
 * event: outbox-store.ts and delivery-store.ts → endpoint-queue.ts → sender.ts → attempt-recorder.ts.
 */
export interface Deliveries {
  emit: Emit;
  /** Looks for work: new events, retries, claims that expired without a record. The schedule calls it every second. */
  dispatch(): Promise<void>;
  /** Looks for work now, between two scheduled calls; does nothing before `start`. */
  wake(): void;
  /** From now on a change stream wakes the engine for new events. Every instance delivers, whatever its schedule. */
  start(): void;
  /**
   * Starts no more attempts, hands back claims that are not being sent, and waits for attempts under way: 5 s at most,
   * or 5 s per secret in force during a rotation. A refusal by one secret alone must not be recorded: it would disable
   * the webhook.
   */
  stop(): Promise<void>;
  /** The part that the administration of webhooks uses. */
  log: DeliveryLog;
}

export interface DeliveryLog {
  /** Newest first. */
  page(query: DeliveryQuery): Promise<DeliveryDocument[]>;
  /** Sends made-up data at once, also to a webhook that is disabled. */
  sendTest<N extends EventName>(webhookId: string, event: N, data: EventData<N>): Promise<DeliveryDocument>;
  /** Sends a delivery again at once; null if the webhook has none with this id. */
  sendAgain(webhookId: string, deliveryId: string): Promise<DeliveryDocument | null>;
  /** Sends again up to `limit` deliveries that failed since `since`; none twice for the same `since`. */
  sendFailedAgain(webhookId: string, since: Date, limit: number): Promise<ResentDeliveries>;
  /** Deletes the deliveries of a deleted webhook, in the background. */
  forget(webhookId: string): void;
}

export interface DeliveriesDeps {
  outbox: OutboxStore;
  store: DeliveryStore;
  endpoints: Endpoints;
  /** A separate connector: receivers that hang must not use up the concurrent calls to anchors. */
  outbound: Outbound;
  meter: DeliveryMeter;
  clock: Clock;
  random: Random;
  newId: NewId;
  logger: Logger;
  /** Overrides for tests. */
  limits?: Partial<DeliveryLimits>;
}

export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { outbox, store, endpoints, meter, clock, random, newId, logger } = deps;
  const limits = { ...deliveryLimits, ...deps.limits };
  const stopwatch = () => performance.now();
  const watch = createEventWatch({
    openStream: () => outbox.watch(() => dispatcher.wake('events'), logger),
    look: () => dispatcher.wake('events'),
  });
  const watchedMeter: DeliveryMeter = {
    ...meter,
    attempted(outcome) {
      watch.attempted();
      meter.attempted(outcome);
    },
  };
  const dispatcher = createDispatcher({
    outbox,
    store,
    endpoints,
    send: createSender({ ...deps, stopwatch, timeoutMs: limits.timeoutMs }),
    recorder: createRecorder({ store, endpoints, meter: watchedMeter, random, logger, limits }),
    meter,
    inTurn: createTurns(limits.inAll),
    claimToken: newId,
    stopwatch,
    clock,
    newId,
    logger,
    limits,
  });
  let started = false;

  function wake(): void {
    if (started) dispatcher.wake('everything');
  }

  return {
    emit: createEmit(deps),
    dispatch: dispatcher.dispatch,
    wake,
    start() {
      started = true;
      watch.start();
    },
    async stop() {
      started = false;
      await watch.stop();
      await dispatcher.stop();
    },
    log: {
      page: store.page,
      async sendTest(webhookId, event, data) {
        const now = new Date(clock());
        const delivery = newDelivery({
          id: timedId('dlv', now.getTime(), newId()),
          webhookId,
          priority: 'admin',
          test: true,
          event: { id: `evt_test${newId()}`, event, createdAt: now, data },
          now,
        });
        await store.add([delivery]);
        wake();
        return delivery;
      },
      async sendAgain(webhookId, deliveryId) {
        const delivery = await store.sendAgain(webhookId, deliveryId, clock());
        wake();
        return delivery;
      },
      async sendFailedAgain(webhookId, since, limit) {
        const sent = await store.sendFailedAgain({ webhookId, since, limit, nowMs: clock() });
        wake();
        return sent;
      },
      forget: dispatcher.forget,
    },
  };
}

/** The part for programs that write events but send none: scripts and tests. */
export function createEmit(deps: {
  outbox: Pick<OutboxStore, 'add'>;
  endpoints: Pick<Endpoints, 'subscribersOf'>;
  clock: Clock;
  newId: NewId;
}): Emit {
  const { outbox, endpoints, clock, newId } = deps;
  return async (session, event, data) => {
    const id = `evt_${newId()}`;
    const subscribers = await endpoints.subscribersOf(session, event);
    const createdAt = new Date(clock());
    await outbox.add(session, { _id: id, event, data, createdAt, subscribers });
    return id;
  };
}
