import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import type { Clock, Logger, NewId, Random } from '../ports.js';
import { backoffMs } from '../timing.js';
import {
  afterAttempt,
  bodyOf,
  type Claimed,
  type DeliveryDocument,
  type FinishedAttempt,
  isLapsedForGood,
  lastOf,
  newDelivery,
  retentionMs,
  timedId,
} from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import type { OpenEvent, OutboxStore } from './outbox-store.js';
import { createPlaces } from './places.js';
import type { OpenSecrets, Recipient } from './secrets.js';
import type { SendDelivery } from './sender.js';
import type { WebhookDocument, WebhookStore } from './webhook-store.js';

export const workerLimits = {
  /** How long a claim lasts: longer than the two POSTs that one attempt may take while a secret is being replaced. */
  claimMs: 20_000,
  /** How long a POST may take, including the answer (interface specification, "Limits"). */
  timeoutMs: 5_000,
  /** After the first, second and third failure: 10 s, 60 s and 360 s, ±20 %. */
  retry: { baseMs: 10_000, factor: 6, maxMs: 360_000, jitter: 0.2 },
};
export type WorkerLimits = typeof workerLimits;

/** Tests and deliveries that an admin sends again have these places to themselves. */
const placesForAdmin = 4;
/** Between two rounds, so that POSTs which end at about the same time are recorded, and their places given, together. */
const restMs = 5;
/** How long a reading of the webhooks with due deliveries is used while there is no news. */
const webhooksUsedMs = 200;
/** Of one webhook, so many due deliveries are read, and used for less time than any retry waits: their attempts are right. */
const ahead = { deliveries: 8, usedMs: 5_000 };
/** How many events are read, and deliveries of them made, in one round: sending does not wait for a backlog. */
const atOnce = { events: 100, deliveries: 1_000 };

export interface WorkerDeps {
  outbox: Pick<OutboxStore, 'openEvents' | 'close'>;
  deliveries: DeliveryStore;
  webhooks: Pick<WebhookStore, 'findMany' | 'subscribersOf' | 'disable'>;
  openSecrets: OpenSecrets;
  send: SendDelivery;
  /** Counts a delivery that ended, for the metrics. */
  countEnded: (state: string) => void;
  clock: Clock;
  random: Random;
  newId: NewId;
  logger: Logger;
  limits: WorkerLimits;
}

/** A due delivery and the webhook to which it goes. */
interface Candidate {
  due: DeliveryDocument;
  webhook: WebhookDocument;
}

/** An enabled webhook with due deliveries, and the first of these that were read and not claimed yet. */
interface Waiting {
  webhook: WebhookDocument;
  due: DeliveryDocument[];
  readAt: number;
}

/** Makes deliveries of events, and sends those that are due. Any number of instances do so at the same time. */
export function createWorker(deps: WorkerDeps) {
  const { outbox, deliveries, webhooks, clock, random, newId, logger, limits } = deps;
  const places = createPlaces(random);
  let freeForAdmin = placesForAdmin;
  const posting = new Set<Promise<void>>();
  /** POSTs that have ended. Each keeps its place until it is recorded. */
  const finished = new Set<FinishedAttempt>();
  let waiting = new Map<string, Waiting>();
  let readAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let again = false;
  /** Whether there may be new events, or deliveries of an admin. A POST that has ended brings neither. */
  let news = false;
  let stopped = false;

  function work(): Promise<void> {
    news = true;
    return goOn();
  }

  function goOn(): Promise<void> {
    again = true;
    running ??= rounds();
    return running;
  }

  async function rounds(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false;
        await recordFinished();
        if (news) await takeNews();
        await claimAndPost(await dueInTurn());
        if (posting.size > 0) await sleep(restMs);
      }
    } finally {
      running = undefined;
    }
  }

  async function takeNews(): Promise<void> {
    news = false;
    readAt = Number.NEGATIVE_INFINITY;
    await makeDeliveries();
    await claimAndPost(await dueOfAdmins());
  }

  /** An attempt that cannot be recorded now stays for the next round. */
  async function recordFinished(): Promise<void> {
    const attempts = [...finished];
    if (attempts.length === 0) return;
    // Before the record: if the process ends in between, the claim expires and the delivery is held.
    for (const attempt of attempts) if (disables(attempt)) await disable(attempt);
    await deliveries.record(attempts);
    for (const attempt of attempts) {
      const { delivery, after, posts } = attempt;
      finished.delete(attempt);
      release(delivery, lastOf(posts).outcome);
      if (after.state !== 'pending') noteEnd(delivery, after.state);
    }
  }

  async function disable({ delivery: { _id, webhookId }, posts, revision }: FinishedAttempt): Promise<void> {
    const { status } = lastOf(posts);
    waiting.delete(webhookId);
    if (await webhooks.disable(webhookId, revision, status, new Date(clock())))
      logger.error({ webhookId, deliveryId: _id, status }, 'webhook disabled by its receiver');
  }

  function noteEnd({ _id: deliveryId, webhookId }: DeliveryDocument, state: string): void {
    deps.countEnded(state);
    if (state === 'exhausted') logger.warn({ webhookId, deliveryId }, 'webhook delivery exhausted');
  }

  /**
   * Makes a delivery of each new event for each of its subscribers. The events are closed afterwards: if the process ends
   * in between, or several do this at once, the unique index of event and webhook keeps the first delivery of each.
   */
  async function makeDeliveries(): Promise<void> {
    const events = await outbox.openEvents(atOnce.events);
    if (events.length === 0) return;
    const subscribers = await webhooks.subscribersOf(events.map(({ event }) => event));
    const made: DeliveryDocument[] = [];
    const ids: string[] = [];
    for (const event of events) {
      if (made.length >= atOnce.deliveries) break;
      const to = subscribers.filter((webhook) => webhook.events.includes(event.event));
      made.push(...deliveriesOf(event, to));
      ids.push(event._id);
    }
    await deliveries.add(made);
    await outbox.close(ids, new Date(clock() + retentionMs));
    news = true;
    again = true;
  }

  function deliveriesOf(event: OpenEvent, to: readonly { _id: string }[]): DeliveryDocument[] {
    const body = bodyOf(event);
    return to.map(({ _id: webhookId }) => {
      const id = timedId('dlv', event.createdAt.getTime(), newId());
      return newDelivery({ id, webhookId, event, body, now: event.now });
    });
  }

  /** They go to webhooks that are disabled, too. */
  async function dueOfAdmins(): Promise<Candidate[]> {
    if (freeForAdmin === 0) return [];
    const found = await deliveries.dueOfAdmins(freeForAdmin);
    const known = await webhooks.findMany(found.map(({ webhookId }) => webhookId));
    return found.flatMap((due) =>
      known.filter(({ _id }) => _id === due.webhookId).map((webhook) => ({ due, webhook })),
    );
  }

  /** The deliveries of enabled webhooks for which there are free places; those of the others are held. */
  async function dueInTurn(): Promise<Candidate[]> {
    if (waiting.size === 0 || clock() - readAt >= webhooksUsedMs) await readWaiting();
    const shares = places.share([...waiting.keys()]);
    const found = await Promise.all([...shares].map(([id, share]) => firstOf(id, share)));
    return found.flat();
  }

  /** Reading all of hundreds of webhooks, and one delivery at a time, would cost as much as sending does. */
  async function readWaiting(): Promise<void> {
    readAt = clock();
    const found = await webhooks.findMany(await deliveries.dueWebhooks());
    const unread = { due: [], readAt: Number.NEGATIVE_INFINITY };
    const before = waiting;
    waiting = new Map(
      found
        .filter(({ enabled }) => enabled)
        .map((webhook) => [webhook._id, { ...(before.get(webhook._id) ?? unread), webhook }]),
    );
  }

  async function firstOf(webhookId: string, count: number): Promise<Candidate[]> {
    const one = waiting.get(webhookId);
    if (one === undefined) return [];
    if (one.due.length < count || clock() - one.readAt > ahead.usedMs) {
      one.readAt = clock();
      one.due = await deliveries.due(webhookId, ahead.deliveries);
    }
    if (one.due.length === 0) waiting.delete(webhookId);
    return one.due.splice(0, count).map((due) => ({ due, webhook: one.webhook }));
  }

  /** Claims only what it can sign and send at once, and sends it. */
  async function claimAndPost(candidates: readonly Candidate[]): Promise<void> {
    const recipients = new Map<DeliveryDocument, Recipient>();
    for (const { due, webhook } of candidates) {
      const to = deps.openSecrets(webhook);
      if (to !== undefined) recipients.set(due, to);
    }
    const wanted = [...recipients.keys()];
    const claimed = await deliveries.claim(wanted, newId(), limits.claimMs);
    for (const [due, to] of recipients) {
      const ours = claimed.get(due._id);
      if (ours !== undefined) post(ours, to);
      else if (isLapsedForGood(due)) noteEnd(due, 'exhausted');
    }
    if (claimed.size === wanted.length) return;
    // Others are sending the same backlog, so what was read of it is old.
    waiting = new Map();
    again = true;
  }

  function post(delivery: Claimed, to: Recipient): void {
    if (delivery.byAdmin) freeForAdmin -= 1;
    else places.take(delivery.webhookId);
    const posted = makePosts(delivery, to).finally(() => {
      posting.delete(posted);
      if (!stopped) goOn().catch(() => undefined);
    });
    posting.add(posted);
  }

  async function makePosts(delivery: Claimed, to: Recipient): Promise<void> {
    try {
      const posts = await deps.send(delivery, to);
      const after = afterAttempt(lastOf(posts).outcome, delivery.attempt, delivery.lastAttempt);
      const delayMs = after.state === 'pending' ? backoffMs(after.failures, limits.retry, random) : 0;
      finished.add({ delivery, posts, after, delayMs, revision: to.revision });
    } catch (error) {
      logger.error({ err: error, deliveryId: delivery._id }, 'webhook delivery failed; it counts as unknown');
      release(delivery, 'unknown');
    }
  }

  function release({ byAdmin, webhookId }: Claimed, outcome: AttemptOutcome): void {
    if (byAdmin) freeForAdmin += 1;
    else places.release(webhookId, outcome);
  }

  return {
    /** Works until there is nothing to do at present; rejects if the database fails, and the next call goes on. */
    work,
    /** Like `work`, without waiting. A failure is reported by the schedule, which calls `work` every second. */
    wake(): void {
      if (!stopped) work().catch(() => undefined);
    },
    /** Claims nothing more, and waits for the POSTs under way and their records. */
    async stop(): Promise<void> {
      stopped = true;
      await running?.catch(() => undefined);
      await Promise.all(posting);
      await recordFinished().catch((error: unknown) =>
        logger.warn({ err: error }, 'webhook attempts were not recorded; they count as unknown'),
      );
    },
  };
}

/** A test changes nothing but its own delivery. */
function disables({ delivery, after }: FinishedAttempt): boolean {
  return after.state === 'refused' && !delivery.test;
}
