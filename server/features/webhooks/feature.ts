import type { Connection } from 'mongoose';
import type { BackoffPolicy } from '../../jobs/backoff.js';
import { createWaker } from '../../mongo/change-streams.js';
import { parseAllowedOrigin } from '../../outbound/allow.js';
import type { Outbound } from '../../outbound/outbound.js';
import { vetUrl } from '../../outbound/vet-url.js';
import type { Clock, Logger, NewId, Random } from '../../ports.js';
import { createMakeAttempt, retryPolicy, type WebhookMeter } from './attempt.js';
import { createDeliveryLog, type DeliveryLog } from './delivery-log.js';
import { createDestinations } from './destinations.js';
import { createDispatcher, type Dispatcher } from './dispatcher.js';
import { createFanOut } from './fan-out.js';
import { type LaneLimits, laneLimits } from './lane.rules.js';
import { outboxModel } from './outbox.js';
import { createOutboxWaker } from './outbox-waker.js';
import { clockPresent, serverPresent } from './present.js';
import { createSecretBox } from './secret-box.js';
import { createSender } from './sender.js';
import { createWebhookAdmin, type WebhookAdmin } from './service.js';
import { createSettler } from './settler.js';
import { deliveryModel, webhookModel } from './store.js';
import { createWorkQueue } from './work-queue.js';

export interface WebhooksFeature {
  admin: WebhookAdmin;
  log: DeliveryLog;
  dispatcher: Pick<Dispatcher, 'runOnce' | 'wake'>;
  /** Seals what was stored in the clear before there was a key; once the collections are there. */
  prepare(): Promise<void>;
  /** Delivers from now on, woken by the outbox. Every instance does, whether or not it runs the schedule. */
  start(): void;
  /** Begins nothing more, waits for what is being sent (5 s at most) and hands back what was only claimed. */
  stop(): Promise<void>;
}

export interface WebhookLimits extends LaneLimits {
  /** How long a claim lasts. */
  claimMs: number;
  /** How long after its claim a POST may still begin: well before another instance may claim it. */
  startsWithinMs: number;
  /** How long a POST may take, its answer included (interface specification, "Limits"). */
  timeoutMs: number;
  retry: BackoffPolicy;
  /** How often work is looked for where nothing wakes the dispatcher. */
  pollMs: number;
}

export const webhookLimits: WebhookLimits = {
  ...laneLimits,
  claimMs: 15_000,
  startsWithinMs: 1_000,
  timeoutMs: 5_000,
  retry: retryPolicy,
  pollMs: 1_000,
};

export interface WebhooksDeps {
  connection: Connection;
  /** One of their own: receivers that hang must not take the places of calls to anchors. */
  outbound: Outbound;
  /** The origins of OUTBOUND_ALLOW, by which addresses are vetted at registration. */
  outboundAllow: readonly string[];
  /** 64 hex digits; without it secrets are stored in the clear. */
  webhookKey: string | undefined;
  meter: WebhookMeter;
  clock: Clock;
  random: Random;
  newId: NewId;
  logger: Logger;
  /** Overrides for tests. */
  limits?: Partial<WebhookLimits>;
  /** Whether `clock` also decides what is due, in place of the database's time: for tests that hold it still. */
  clockDecides?: boolean;
  /** False cuts off the change stream: events are then found by the poll. */
  changeStreams?: boolean;
}

/** Registers its models on the connection at once, so that their collections can be prepared. */
export function createWebhooks(deps: WebhooksDeps): WebhooksFeature {
  const { connection, clock, random, newId, logger } = deps;
  const limits = { ...webhookLimits, ...deps.limits };
  const stopwatch = () => performance.now();
  const present = deps.clockDecides === true ? clockPresent(clock) : serverPresent;
  const outbox = outboxModel(connection);
  const webhooks = webhookModel(connection);
  const deliveries = deliveryModel(connection);
  const listed = new Set(deps.outboundAllow.map(parseAllowedOrigin));
  const box = createSecretBox(deps.webhookKey);

  const meter: WebhookMeter = {
    attempted: (outcome) => {
      deps.meter.attempted(outcome);
      waker.attempted();
    },
    settled: deps.meter.settled,
  };
  const queue = createWorkQueue({ deliveries, present, claimMs: limits.claimMs });
  const destinations = createDestinations({ webhooks, box, clock, logger });
  const dispatcher = createDispatcher({
    fanOut: createFanOut({ outbox, deliveries, present, clock, newId }),
    queue,
    destinations,
    makeAttempt: createMakeAttempt({
      send: createSender({ outbound: deps.outbound, clock, stopwatch, timeoutMs: limits.timeoutMs }),
      settler: createSettler({ queue }),
      destinations,
      random,
      meter,
      logger,
      retry: limits.retry,
    }),
    meter,
    owner: newId(),
    stopwatch,
    random,
    logger,
    limits,
  });
  const waker = createOutboxWaker({
    openStream: () =>
      createWaker({
        model: outbox,
        pipeline: [{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }],
        wake: dispatcher.wakeForEvents,
        logger,
      }),
    wake: dispatcher.wakeForEvents,
    stopwatch,
  });
  const { wake, forget } = dispatcher;

  return {
    admin: createWebhookAdmin({
      webhooks,
      box,
      vetUrl: (url) => vetUrl(url, listed),
      wake,
      forget,
      clock,
      newId,
      logger,
    }),
    log: createDeliveryLog({ webhooks, deliveries, present, wake, clock, newId }),
    dispatcher,
    async prepare() {
      if (deps.webhookKey === undefined) {
        logger.warn({}, 'WEBHOOK_KEY is not set: secrets of webhooks are stored in the clear');
        return;
      }
      const sealed = await destinations.sealOutdated();
      if (sealed > 0)
        logger.info({ webhooks: sealed }, 'webhook secrets sealed that were stored in the clear');
    },
    start() {
      dispatcher.start();
      if (deps.changeStreams !== false) waker.start();
    },
    async stop() {
      await waker.stop();
      await dispatcher.stop();
    },
  };
}
