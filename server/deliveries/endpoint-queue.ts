import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../ports.js';
import type { Recorder } from './attempt-recorder.js';
import type { Claimed, Posts } from './delivery.rules.js';
import { lastOf, readQueueKey } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import type { DeliveryLimits } from './limits.js';
import type { DeliveryMeter, Endpoint, Endpoints } from './ports.js';
import type { SendDelivery } from './sender.js';
import type { InTurn } from './turns.js';

/** Sends the due deliveries of one queue: those of one webhook and one priority. */
export interface EndpointQueue {
  /** Claims and sends deliveries until none is due. */
  wake(): void;
  /**
   * Reserves deliveries that are about to be inserted, so that they are inserted as claimed and need not be found and
   * claimed afterwards. Undefined if the queue has enough to do, stored deliveries come first, or it must not send.
   * @param claimedOn a time on the stopwatch before the one from which the claim lasts
   */
  reserve(claimedOn: number): Promise<Reservation | undefined>;
  /** Whether the queue cannot reserve now, but will very soon, because its endpoint takes large batches. */
  isBusy(): boolean;
  /** Starts no more POSTs, hands back claims that are not being sent, and waits for POSTs under way. */
  stop(): Promise<void>;
}

/** A claim of deliveries that are not inserted yet. */
export interface Reservation {
  owner: string;
  /** The most deliveries that may be claimed. */
  size: number;
  /** Must be called exactly once, with the deliveries that were inserted as claimed, even if there are none. */
  send(claimed: Claimed[]): void;
}

export interface EndpointQueueDeps {
  store: Pick<DeliveryStore, 'claim' | 'handBack' | 'dropSome'>;
  endpoints: Pick<Endpoints, 'find'>;
  send: SendDelivery;
  recorder: Recorder;
  meter: DeliveryMeter;
  /** Limits the concurrent POSTs of all queues; further ones wait for their turn. */
  inTurn: InTurn;
  /** A fresh token per claim, unique across all processes. */
  claimToken: () => string;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  /** Called when the queue has less to do, with the number of deliveries that it would reserve. */
  hungry: (size: number) => void;
  report: (error: unknown) => void;
  logger: Logger;
  limits: DeliveryLimits;
}

/** Deliveries of one claim. */
interface Batch {
  deliveries: Claimed[];
  to: Endpoint;
  claimedOn: number;
  /** The number of interruptions before the claim. */
  claimedAfter: number;
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
  const posting = new UnderWay();
  const unrecorded = new UnderWay();
  let running: Promise<void> | undefined;
  /** The batch after the present one, while it is being claimed, or reserved and inserted. */
  let next: Promise<Batch | undefined> | undefined;
  /** Whether a quick endpoint has reached the second half of the present batch, so that the next may be prepared. */
  let halfSent = false;
  /** The number last asked for: that many are reserved even if the endpoint has become slower. */
  let askedFor = 0;
  let stopped = false;
  /** Whether more deliveries may be due than were claimed so far. */
  let more = false;
  /** Attempts in a row that were not acknowledged. */
  let failuresInARow = 0;
  /** How long the last attempt took. */
  let answerMs = Number.POSITIVE_INFINITY;
  /** Counts attempts after which deliveries claimed earlier must not be sent: refusals, and failures once it is eased. */
  let interruptions = 0;
  /** Set by an interruption; awaited before anything is claimed again. */
  let pause: Promise<unknown> | undefined;

  async function run(): Promise<void> {
    while (next !== undefined || (more && !stopped)) {
      next ??= claim();
      const batch = await next;
      next = undefined;
      if (batch !== undefined) await sendBatch(batch);
    }
    running = undefined;
    askForMore();
  }

  /** Never rejects. */
  async function claim(): Promise<Batch | undefined> {
    try {
      return await claimDue();
    } catch (error) {
      deps.report(error);
      return undefined;
    }
  }

  async function claimDue(): Promise<Batch | undefined> {
    await unrecorded.fewerThan(2 * limits.maxBatch);
    await posting.fewerThan(atOnce());
    await pause;
    pause = undefined;
    const claimedAfter = interruptions;
    // A wake-up during the claim sets this again, because the claim may miss the new deliveries.
    more = false;
    const to = await endpoints.find(webhookId);
    if (to === 'gone') {
      await drop();
      return;
    }
    if (stopped || to === 'locked' || !(to.enabled || priority === 'admin')) return;
    const claimedOn = stopwatch();
    const claimed = await store.claim({
      queue: key,
      limit: sizeNow(),
      owner: deps.claimToken(),
      claimMs: limits.claimMs,
    });
    more ||= claimed.more;
    reportExhausted(claimed.exhausted);
    return { deliveries: claimed.claimed, to, claimedOn, claimedAfter };
  }

  function sizeNow(): number {
    return claimSize({ free: limits.perQueue - posting.size, eased: isEased(), answerMs }, limits);
  }

  function mayReserve(): boolean {
    if (stopped || more || next !== undefined || pause !== undefined || isEased()) return false;
    if (running !== undefined && !halfSent) return false;
    return unrecorded.size < 2 * limits.maxBatch && (isQuick() || posting.size < limits.perQueue);
  }

  /** Never rejects. */
  async function reserve(claimedOn: number): Promise<Reservation | undefined> {
    if (!mayReserve()) return undefined;
    const claimedAfter = interruptions;
    const size = Math.max(sizeNow(), askedFor);
    askedFor = 0;
    let handOver: (batch: Batch | undefined) => void = () => undefined;
    next = new Promise((resolve) => {
      handOver = resolve;
    });
    running ??= run();
    const to = await endpoints.find(webhookId).catch(deps.report);
    if (to === undefined || typeof to === 'string' || !(to.enabled || priority === 'admin')) {
      handOver(undefined);
      return undefined;
    }
    const send = (deliveries: Claimed[]) =>
      handOver(deliveries.length === 0 ? undefined : { deliveries, to, claimedOn, claimedAfter });
    return { owner: deps.claimToken(), size, send };
  }

  /** Never rejects. For a quick endpoint the next batch is claimed while the second half of this one is sent. */
  async function sendBatch(batch: Batch): Promise<void> {
    const { deliveries } = batch;
    halfSent = false;
    for (const [index, delivery] of deliveries.entries()) {
      await posting.fewerThan(atOnce());
      if (mustNotBegin(batch)) {
        await handBack(deliveries.slice(index)).catch(deps.report);
        return;
      }
      posting.add(attempt(delivery, batch));
      if (isQuick() && index >= deliveries.length / 2) prepareNext();
    }
  }

  function prepareNext(): void {
    if (more) next ??= claim();
    if (halfSent) return;
    halfSent = true;
    askForMore();
  }

  function askForMore(): void {
    if (!isQuick() || !mayReserve()) return;
    askedFor = sizeNow();
    deps.hungry(askedFor);
  }

  /** Never rejects. */
  async function attempt(delivery: Claimed, batch: Batch): Promise<void> {
    try {
      const begun = await deps.inTurn(key, startsWithinMs(batch), async () => {
        if (mustNotBegin(batch)) return false;
        // Inside the turn, since the POST that gets this slot next must already know of an interruption.
        takeIn(delivery, await send(delivery, batch.to), batch.to);
        return true;
      });
      if (!begun) await claimAnew(delivery);
    } catch (error) {
      deps.report(error);
    }
  }

  function takeIn(delivery: Claimed, made: Posts, to: Endpoint): void {
    const { outcome } = lastOf(made);
    answerMs = made.reduce((sum, { elapsedMs }) => sum + (elapsedMs ?? 0), 0);
    failuresInARow = outcome === 'acknowledged' ? 0 : failuresInARow + 1;
    const recorded = recorder.record(delivery, made, to);
    unrecorded.add(recorded);
    // Until the webhook is known to be disabled, nothing more is sent to it.
    if (outcome === 'refused') interrupt(recorded);
    else if (isEased()) interrupt(rest(limits.easedRestMs));
  }

  function interrupt(until: Promise<unknown>): void {
    interruptions += 1;
    pause = Promise.all([pause, until]);
  }

  /** An endpoint that only fails gets one delivery at a time, or it would take slots and database time from the others. */
  function isEased(): boolean {
    return failuresInARow >= limits.failuresUntilEased;
  }

  function isQuick(): boolean {
    return !isEased() && answerMs <= limits.quickMs;
  }

  function atOnce(): number {
    return isEased() ? 1 : limits.perQueue;
  }

  /** True after an interruption, or so late in the claim that another instance might send the same deliveries. */
  function mustNotBegin(batch: Batch): boolean {
    return stopped || interruptions !== batch.claimedAfter || startsWithinMs(batch) < 0;
  }

  function startsWithinMs({ claimedOn }: Batch): number {
    return claimedOn + limits.startsWithinMs - stopwatch();
  }

  /** Hands back a delivery whose POST did not begin in its turn, and claims again, which keeps the queue in line. */
  async function claimAnew(delivery: Claimed): Promise<void> {
    await handBack([delivery]);
    wake();
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
    reserve,
    isBusy: () => running !== undefined && sizeNow() >= limits.maxBatch / 2 && !mayReserve(),
    async stop() {
      stopped = true;
      await running;
      await posting.fewerThan(1);
      await unrecorded.fewerThan(1);
    },
  };
}

/**
 * How many deliveries to claim. A claim costs about as much for many as for one, but if this process is killed, each
 * delivery claimed and not yet sent loses an attempt: so no more than can be sent at once, except for a quick endpoint.
 * Never 0, which MongoDB takes for no limit: no slot is free if an endpoint turns slow while the next batch is claimed.
 */
export function claimSize(
  { free, eased, answerMs }: { free: number; eased: boolean; answerMs: number },
  { perQueue, maxBatch, quickMs, aheadMs }: DeliveryLimits,
): number {
  if (eased) return 1;
  if (answerMs > quickMs) return Math.max(1, free);
  const ahead = Math.floor((perQueue * aheadMs) / Math.max(1, answerMs));
  return Math.min(maxBatch, Math.max(free, ahead));
}

/** Counts the work under way, so that a caller can wait until there is less. */
class UnderWay {
  size = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param one never rejects */
  add(one: Promise<void>): void {
    this.size += 1;
    void one.then(() => {
      this.size -= 1;
      for (const goOn of this.#waiting.splice(0)) goOn();
    });
  }

  async fewerThan(count: number): Promise<void> {
    while (this.size >= count) await new Promise<void>((goOn) => this.#waiting.push(goOn));
  }
}
