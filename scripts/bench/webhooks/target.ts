import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { eventExamples } from '../../../contract/examples/events.js';
import { createEmit } from '../../../server/deliveries/deliveries.js';
import type { DeliveryDocument } from '../../../server/deliveries/delivery.rules.js';
import { newDelivery, timedId } from '../../../server/deliveries/delivery.rules.js';
import { createOutboxStore, type OutboxDocument } from '../../../server/deliveries/outbox-store.js';
import { createWebhookStore } from '../../../server/features/webhooks/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import type { BenchContext } from '../lib/bench.js';
import { benchAdminKey, type ServiceProcess } from '../lib/bench.js';
import type { Program } from '../lib/program.js';
import type { Arrival } from './receiver.js';
import { benchSecret, nowMs } from './shared.js';

export const freshId = () => randomBytes(16).toString('hex');

/** The compiled service, a receiver, and the database that both sides of the bench write to. */
export interface WebhookTarget {
  service: ServiceProcess;
  receiver: Program;
  origin: string;
  mongodPid: number | undefined;
  /** Registers a webhook for one event at a URL. Returns its id. */
  register(url: string, event: keyof typeof eventExamples): Promise<string>;
  enable(id: string, enabled: boolean): Promise<void>;
  /** Commits an event. Returns its id and the time just before its commit. */
  emit(event: keyof typeof eventExamples): Promise<{ id: string; committedMs: number }>;
  /** Commits this many events at once, ready to be fanned out to one webhook. */
  backlog(webhookId: string, count: number): Promise<void>;
  /** Creates this many deliveries of one webhook, all due. */
  dueDeliveries(webhookId: string, count: number): Promise<void>;
  /** What has arrived when there are this many, or after a minute. */
  arrivals(count: number): Promise<Arrival[]>;
}

const insertsAtOnce = 5_000;

export async function openTarget(context: BenchContext, closedOrigin: string): Promise<WebhookTarget> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const receiver = await context.startProgram('scripts/bench/webhooks/receiver');
  const origin = String(await receiver.ready());
  const service = await context.startService({
    ...anchors.env,
    MONGODB_URI: mongo.uri,
    OUTBOUND_ALLOW: [anchors.env.OUTBOUND_ALLOW, origin, closedOrigin].join(','),
    LOG_LEVEL: 'error',
  });
  const connection = await connectMongo({ uri: mongo.uri });
  context.onEnd('the connection', () => connection.close());
  const emit = createEmit({
    outbox: createOutboxStore(connection),
    endpoints: createWebhookStore(connection),
    clock: Date.now,
    newId: freshId,
  });
  const inTransaction = createInTransaction(connection);

  async function admin(method: string, path: string, body: object): Promise<{ id: string }> {
    const answer = await fetch(`${service.url}/api/admin/webhooks${path}`, {
      method,
      headers: { 'x-admin-key': benchAdminKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  }

  return {
    service,
    receiver,
    origin,
    mongodPid: mongo.pid,
    register: async (url, event) =>
      (await admin('POST', '', { url, events: [event], secret: benchSecret })).id,
    enable: async (id, enabled) => {
      await admin('PATCH', `/${id}`, { enabled });
    },
    async emit(event) {
      let committedMs = 0;
      const id = await inTransaction(async (session) => {
        const eventId = await emit(session, event, eventExamples[event]);
        committedMs = nowMs();
        return eventId;
      });
      return { id, committedMs };
    },
    backlog: (webhookId, count) => insertEvents(connection, webhookId, count),
    dueDeliveries: (webhookId, count) => insertDeliveries(connection, webhookId, count),
    async arrivals(count) {
      const all: Arrival[] = [];
      for (const givingUpAt = nowMs() + 60_000; all.length < count && nowMs() < givingUpAt; ) {
        await sleep(50);
        all.push(...((await receiver.ask('arrivals')) as Arrival[]));
      }
      return all;
    },
  };
}

async function insertEvents(connection: Connection, webhookId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index): OutboxDocument => {
    const createdAt = new Date(Date.now() + index / 1_000);
    const data = eventExamples['intent.settled'];
    return {
      _id: `evt_${freshId()}`,
      event: 'intent.settled',
      createdAt,
      data,
      subscribers: [webhookId],
      open: true,
    };
  });
  await connection.collection<OutboxDocument>('outbox').insertMany(rows, { timeoutMS: 30_000 });
}

async function insertDeliveries(connection: Connection, webhookId: string, count: number): Promise<void> {
  const deliveries = connection.collection<DeliveryDocument>('deliveries');
  for (let from = 0; from < count; from += insertsAtOnce) {
    const rows = Array.from({ length: Math.min(insertsAtOnce, count - from) }, (_, index) =>
      newDelivery({
        id: timedId('dlv', Date.now(), freshId()),
        webhookId,
        priority: 'normal',
        test: false,
        event: {
          id: `evt_${freshId()}`,
          event: 'intent.failed',
          createdAt: new Date(),
          data: eventExamples['intent.failed'],
        },
        now: new Date(Date.now() - count + from + index),
      }),
    );
    await deliveries.insertMany(rows, { timeoutMS: 30_000 });
  }
}
