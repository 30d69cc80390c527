import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../ports.js';
import type { Claimed } from './delivery.rules.js';
import { readQueueKey } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import type { DeliveryLimits, DeliveryMeter, Endpoint, Endpoints } from './ports.js';
import type { Recorder } from './recorder.js';
import type { SendDelivery } from './sender.js';

/** Sends what is due in one queue: the deliveries of one webhook and one priority. */
export interface EndpointQueue {
  /** Something may be due: claims and sends until nothing is. */
  wake(): void;
  /** Begins nothing more, hands back what is only claimed, and waits for what is being sent. */
  stop(): Promise<void>;
}

export interface EndpointQueueDeps {
  store: Pick<DeliveryStore, 'claim' | 'handBack' | 'dropSome'>;
  endpoints: Pick<Endpoints, 'find'>;
  send: SendDelivery;
  recorder: Recorder;
  meter: DeliveryMeter;
  /** Limits the POSTs of all queues that are under way at once; the others wait in turn. */
  inTurn: <T>(post: () => Promise<T>) => Promise<T>;
  /** A fresh token for each claim, unlike that of any other process. */
  claimToken: () => string;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  report: (error: unknown) => void;
  logger: Logger;
  limits: DeliveryLimits;
}

export function createEndpointQueue(
  key: string,
  deps: EndpointQueueDeps & {
    /** Called when the webhook was deleted and its deliveries with it. */
    gone: () => void;
  },
): EndpointQueue {
  const { store, endpoints, send, recorder, meter, stopwatch, logger, limits } = deps;
  const { webhookId, priority } = readQueueKey(key);
  const posting = new Set<Promise<void>>();
  const unrecorded = new Set<Promise<void>>();
  let running: Promise<void> | undefined;
  let stopped = false;
  /** More may be due than was claimed so far. */
  let more = false;
  /** Attempts in a row that were not acknowledged. */
  let failuresInARow = 0;
  /** How long the last attempt took. */
  let answerMs = Number.POSITIVE_INFINITY;
  /** Set where what is claimed was claimed for an endpoint in another condition: to be awaited, then claimed again. */
  let pause: Promise<unknown> | undefined;

  async function run(): Promise<void> {
    try {
      while (more && !stopped) await claimAndSend();
    } catch (error) {
      deps.report(error);
    }
    running = undefined;
  }

  async function claimAndSend(): Promise<void> {
    await fewerThan(2 * limits.maxBatch, unrecorded);
    await fewerThan(atOnce(), posting);
    await pause;
    pause = undefined;
    // What comes while the claim is under way sets it again: the claim may miss it.
    more = false;
    const to = await endpoints.find(webhookId);
    if (to === 'gone') return drop();
    if (stopped || to === 'locked' || !(to.enabled || priority === 'admin')) return;
    const claimedOn = stopwatch();
    const claim = await store.claim({
      queue: key,
      limit: claimSize({ free: limits.perQueue - posting.size, eased: isEased(), answerMs }, limits),
      owner: deps.claimToken(),
      claimMs: limits.claimMs,
    });
    more ||= claim.more;
    reportExhausted(claim.exhausted);
    for (const [index, delivery] of claim.claimed.entries()) {
      await fewerThan(atOnce(), posting);
      if (pause !== undefined || mustNotBegin(claimedOn)) return handBack(claim.claimed.slice(index));
      track(posting, attempt(delivery, to, claimedOn));
    }
  }

  async function attempt(delivery: Claimed, to: Endpoint, claimedOn: number): Promise<void> {
    try {
      const made = await deps.inTurn(async () =>
        mustNotBegin(claimedOn) ? undefined : await send(delivery, to),
      );
      if (made === undefined) return await handBack([delivery]);
      answerMs = made.elapsedMs ?? 0;
      failuresInARow = made.outcome === 'acknowledged' ? 0 : failuresInARow + 1;
      const recorded = recorder.record(delivery, made, to);
      track(unrecorded, recorded);
      // Until the webhook is known to be disabled, nothing more is sent to it.
      if (made.outcome === 'refused') pause = Promise.all([pause, recorded]);
      else if (isEased()) pause = Promise.all([pause, rest(limits.easedRestMs)]);
    } catch (error) {
      deps.report(error);
    }
  }

  /** An endpoint that only fails would otherwise hold its places, and keep the database busy, at the others' cost. */
  function isEased(): boolean {
    return failuresInARow >= limits.failuresUntilEased;
  }

  function atOnce(): number {
    return isEased() ? 1 : limits.perQueue;
  }

  /** Well before its claim ends, so that nobody else sends it at the same time. */
  function mustNotBegin(claimedOn: number): boolean {
    return stopped || stopwatch() - claimedOn > limits.startsWithinMs;
  }

  async function handBack(deliveries: readonly Claimed[]): Promise<void> {
    more = true;
    await store.handBack(deliveries);
  }

  async function drop(): Promise<void> {
    more = !(await store.dropSome(webhookId));
    if (!more) deps.gone();
  }

  function reportExhausted(count: number): void {
    if (count > 0) logger.warn({ webhookId, deliveries: count }, 'webhook deliveries exhausted');
    for (let counted = 0; counted < count; counted += 1) meter.settled('exhausted');
  }

  function wake(): void {
    more = true;
    if (!stopped) running ??= run();
  }

  return {
    wake,
    async stop() {
      stopped = true;
      await running;
      await Promise.all(posting);
      await Promise.all(unrecorded);
    },
  };
}

/**
 * How many to claim. A claim costs about as much for many as for one, but each delivery that is claimed and not yet sent
 * when this process is killed has lost an attempt: so no more than can be sent at once, except for a quick endpoint.
 */
export function claimSize(
  { free, eased, answerMs }: { free: number; eased: boolean; answerMs: number },
  { perQueue, maxBatch, quickMs, aheadMs }: DeliveryLimits,
): number {
  if (eased) return 1;
  if (answerMs > quickMs) return free;
  const ahead = Math.floor((perQueue * aheadMs) / Math.max(1, answerMs));
  return Math.min(maxBatch, Math.max(free, ahead));
}

function track(all: Set<Promise<void>>, one: Promise<void>): void {
  all.add(one);
  void one.then(() => all.delete(one));
}

async function fewerThan(count: number, all: ReadonlySet<Promise<void>>): Promise<void> {
  while (all.size >= count) await Promise.race(all);
}
