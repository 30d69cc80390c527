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

/** Sends what is due in one queue: the deliveries of one webhook and one priority. */
export interface EndpointQueue {
  /** Something may be due: claims and sends until nothing is. */
  wake(): void;
  /**
   * Asks for deliveries that are about to be added, so that they are added claimed and need not be found and claimed
   * afterwards. Undefined where the queue has enough to do, where stored deliveries come first, or where it must not send.
   * @param claimedOn a time on the stopwatch before the one from which the claim lasts
   */
  reserve(claimedOn: number): Promise<Reservation | undefined>;
  /** Whether it cannot reserve now, but will very soon: its endpoint takes large batches. */
  isBusy(): boolean;
  /** Begins nothing more, hands back what is only claimed, and waits for what is being sent. */
  stop(): Promise<void>;
}

/** A claim of deliveries that are yet to be added. */
export interface Reservation {
  owner: string;
  /** The most deliveries. */
  size: number;
  /** To be called once in any case, with what was added and so claimed. */
  send(claimed: Claimed[]): void;
}

export interface EndpointQueueDeps {
  store: Pick<DeliveryStore, 'claim' | 'handBack' | 'dropSome'>;
  endpoints: Pick<Endpoints, 'find'>;
  send: SendDelivery;
  recorder: Recorder;
  meter: DeliveryMeter;
  /** Limits the POSTs of all queues that are under way at once; the others wait in turn. */
  inTurn: InTurn;
  /** A fresh token for each claim, unlike that of any other process. */
  claimToken: () => string;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  /** Told when the queue has less to do, and how many deliveries it would reserve. */
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
  /** The interruptions before the claim. */
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
  /** What follows the present batch: being claimed, or reserved and being added. */
  let next: Promise<Batch | undefined> | undefined;
  /** The present batch has come to its second half, and the endpoint is quick: time for the next one. */
  let halfSent = false;
  /** As many as were last asked for, so that those are taken even if the endpoint has become slower. */
  let askedFor = 0;
  let stopped = false;
  /** More may be due than was claimed so far. */
  let more = false;
  /** Attempts in a row that were not acknowledged. */
  let failuresInARow = 0;
  /** How long the last attempt took. */
  let answerMs = Number.POSITIVE_INFINITY;
  /** How often the endpoint turned out to be in another condition than what is claimed was claimed for. */
  let interruptions = 0;
  /** To be awaited after an interruption, before anything is claimed again. */
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
    // What comes while the claim is under way sets it again: the claim may miss it.
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

  /** Never rejects. For a quick endpoint the next batch is claimed as the second half of this one is sent. */
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
        // Within the turn, since the one that gets this place next must already know of an interruption.
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

  /** An endpoint that only fails would otherwise hold its places, and keep the database busy, at the others' cost. */
  function isEased(): boolean {
    return failuresInARow >= limits.failuresUntilEased;
  }

  function isQuick(): boolean {
    return !isEased() && answerMs <= limits.quickMs;
  }

  function atOnce(): number {
    return isEased() ? 1 : limits.perQueue;
  }

  /** After an interruption, or so late in the claim that somebody else might send the same meanwhile. */
  function mustNotBegin(batch: Batch): boolean {
    return stopped || interruptions !== batch.claimedAfter || startsWithinMs(batch) < 0;
  }

  function startsWithinMs({ claimedOn }: Batch): number {
    return claimedOn + limits.startsWithinMs - stopwatch();
  }

  /** Where a POST did not begin in its turn: what is claimed anew keeps its queue in line. */
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
 * How many to claim. A claim costs about as much for many as for one, but each delivery that is claimed and not yet sent
 * when this process is killed has lost an attempt: so no more than can be sent at once, except for a quick endpoint.
 * Never 0, which MongoDB takes for no limit: all places are taken where an endpoint turns slow as the next batch is claimed.
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

/** What is under way, so that one can wait until there is less of it. */
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
