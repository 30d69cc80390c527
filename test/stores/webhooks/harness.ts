import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { EventData, EventName } from '../../../contract/events.js';
import type { DeliveryAnswer, WebhookAnswer } from '../../../contract/webhook-answers.js';
import {
  createWebhooks,
  type WebhookLimits,
  type WebhooksFeature,
} from '../../../server/features/webhooks/feature.js';
import { createWriteEvent } from '../../../server/features/webhooks/outbox.js';
import { prepareCollections } from '../../../server/mongo/collections.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { createOutbound, type LookupFn } from '../../../server/outbound/outbound.js';
import type { Logger } from '../../../server/ports.js';
import { silentLogger } from '../../helpers/silent-logger.js';

export const secret = 'a secret of the webhook tests';

export interface WebhooksHarness extends WebhooksFeature {
  /** Epoch milliseconds that decide what is due; tests move it. */
  world: { now: number };
  connection: Connection;
  /** Commits an event in a transaction of its own. Returns its id. */
  emit<N extends EventName>(event: N, data: EventData<N>): Promise<string>;
  /** Commits a publisher.tick of this sequence. */
  emitTick(sequence?: number): Promise<string>;
  register(url: string, events?: EventName[], given?: string): Promise<WebhookAnswer>;
  /** The newest deliveries of a webhook, newest first. */
  deliveriesOf(webhookId: string): Promise<DeliveryAnswer[]>;
  /** How often it was counted: `attempted timeout`, `settled exhausted`. */
  counted: Map<string, number>;
  /** Empties the collections; their indexes stay. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  uri: string;
  /** Origins for OUTBOUND_ALLOW. */
  allow?: readonly string[];
  /** Given, it decides what is due in place of the database's time. */
  world?: { now: number };
  limits?: Partial<WebhookLimits>;
  webhookKey?: string;
  logger?: Logger;
  random?: () => number;
  lookup?: LookupFn;
  ca?: string;
  changeStreams?: boolean;
}

/** Webhooks as compose.ts puts them together, over a real database and real sockets; not started. */
export async function openWebhooks(options: HarnessOptions): Promise<WebhooksHarness> {
  const { world, allow = [], lookup, ca, logger = silentLogger } = options;
  const clock = world === undefined ? Date.now : () => world.now;
  const newId = () => randomBytes(16).toString('hex');
  const connection = await connectMongo({ uri: options.uri });
  const outbound = createOutbound({
    allow,
    ...(lookup === undefined ? {} : { lookup }),
    ...(ca === undefined ? {} : { ca }),
  });
  const counted = new Map<string, number>();
  const count = (what: string) => counted.set(what, (counted.get(what) ?? 0) + 1);
  const feature = createWebhooks({
    connection,
    outbound: outbound.request,
    outboundAllow: allow,
    webhookKey: options.webhookKey,
    meter: {
      attempted: (outcome) => count(`attempted ${outcome}`),
      settled: (state) => count(`settled ${state}`),
    },
    clock,
    random: options.random ?? (() => 0.5),
    newId,
    logger,
    clockDecides: world !== undefined,
    changeStreams: options.changeStreams !== false,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const inTransaction = createInTransaction(connection);
  const writeEvent = createWriteEvent({ connection, clock, newId });
  await prepareCollections(connection);
  await feature.prepare();

  const emit: WebhooksHarness['emit'] = (event, data) =>
    inTransaction((session) => writeEvent(session, event, data));
  return {
    ...feature,
    world: world ?? { now: Number.NaN },
    connection,
    emit,
    emitTick: (sequence = 1) => emit('publisher.tick', tick(sequence)),
    register: (url, events = ['publisher.tick'], given = secret) =>
      feature.admin.create({ url, events, secret: given }),
    deliveriesOf: async (webhookId) => (await feature.log.list(webhookId, { limit: '100' })).items,
    counted,
    async clear() {
      for (const model of Object.values(connection.models)) await model.deleteMany({});
    },
    async close() {
      await feature.stop();
      await outbound.close();
      await connection.close();
    },
  };
}

export function tick(sequence: number): EventData<'publisher.tick'> {
  return { sequence, root: 'ab'.repeat(32), headerHash: 'cd'.repeat(32), size: 3, submitted: true };
}
