import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { MakeAttempt, WebhookMeter } from './attempt.js';
import type { Destinations, Recipient } from './destinations.js';
import type { FanOut } from './fan-out.js';
import { isEased, isQuiet, type Lane, type LaneLimits, newLane, roomOf } from './lane.rules.js';
import { readLane } from './store.js';
import type { Claimed, WorkQueue } from './work-queue.js';

/** Brings events to webhooks. Any number of instances may do so at once. */
export interface Dispatcher {
  start(): void;
  /** Looks for work now: something was committed, or an admin did something. */
  wake(): void;
  /** One look for work, then all of it that is due, settled. For tests, which move the clock in between. */
  runOnce(): Promise<void>;
  /** Begins nothing more and waits for what is being sent. */
  stop(): Promise<void>;
}

export interface DispatcherDeps {
  fanOut: FanOut;
  queue: WorkQueue;
  destinations: Pick<Destinations, 'find'>;
  makeAttempt: MakeAttempt;
  meter: WebhookMeter;
  /** Names this process among all, for its lifetime. */
  owner: string;
  stopwatch: Clock;
  random: Random;
  logger: Logger;
  limits: LaneLimits & { pollMs: number };
}

/** Instances drift apart by it. */
const pollJitter = 0.2;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { fanOut, queue, destinations, makeAttempt, meter, owner, stopwatch, random, logger, limits } = deps;
  const lanes = new Map<string, Lane>();
  /** Lanes that found every slot of this instance taken, in turn. */
  const queued = new Set<Lane>();
  const onQuiet = new Set<() => void>();
  let sending = 0;
  let claims = 0;
  let stopped = true;
  let looking: Promise<void> | undefined;
  let again = false;
  let timer: NodeJS.Timeout | undefined;

  /** Fans out what is open and opens every lane that has something due. */
  async function look(): Promise<void> {
    for (let more = true; more; ) {
      more = await fanOut();
      for (const id of await queue.lanes()) {
        const lane = lanes.get(id) ?? newLane(id);
        lanes.set(id, lane);
        lane.more = true;
        proceed(lane);
      }
    }
  }

  function poll(): void {
    if (stopped) return;
    if (looking !== undefined) {
      again = true;
      return;
    }
    clearTimeout(timer);
    looking = look()
      .catch(report)
      .finally(() => {
        looking = undefined;
        if (again) {
          again = false;
          poll();
        } else if (!stopped) {
          timer = setTimeout(poll, limits.pollMs * (1 + pollJitter * (2 * random() - 1)));
        }
      });
  }

  function report(error: unknown): void {
    if (isMongoUnavailable(error)) logger.warn({ err: error }, 'webhook deliveries wait for the database');
    else logger.error({ err: error }, 'webhook dispatcher failed; it goes on with the next poll');
  }

  /** Claims for a lane, if there is reason and room; where all slots are taken it queues behind other lanes. */
  function proceed(lane: Lane): void {
    if (stopped) lane.more = false;
    const room = roomOf(lane, sending, limits);
    if (lane.more && room > 0) {
      queued.delete(lane);
      void claim(lane, room);
    } else if (lane.more && sending >= limits.inAll && lane.sending === 0) queued.add(lane);
    if (isQuiet(lane)) settleQuiet();
  }

  /** A slot is free: the lane that has waited longest has it, and this one queues. */
  function passOn(lane: Lane): void {
    const [first] = queued;
    if (first === undefined) proceed(lane);
    else {
      queued.delete(first);
      if (lane.more && lane.sending === 0) queued.add(lane);
      proceed(first);
      if (isQuiet(lane)) settleQuiet();
    }
  }

  async function claim(lane: Lane, room: number): Promise<void> {
    lane.claiming = true;
    // What a look finds while the claim is under way is not forgotten: the claim may have missed it.
    lane.more = false;
    lane.sending += room;
    sending += room;
    let used = 0;
    try {
      used = await claimAndSend(lane, room);
    } catch (error) {
      report(error);
    }
    lane.claiming = false;
    lane.sending -= room - used;
    sending -= room - used;
    passOn(lane);
  }

  async function claimAndSend(lane: Lane, room: number): Promise<number> {
    const { webhookId, byAdmin } = readLane(lane.id);
    const recipient = await destinations.find(webhookId);
    if (recipient === 'gone') {
      lane.more ||= !(await queue.drop(webhookId));
      if (!lane.more) lanes.delete(lane.id);
      return 0;
    }
    if (stopped || recipient === 'locked' || (!recipient.enabled && !byAdmin)) return 0;
    claims += 1;
    const claimedOn = stopwatch();
    const { claimed, exhausted, more } = await queue.claim(lane.id, room, `${owner}:${claims}`);
    lane.more ||= more;
    for (let count = 0; count < exhausted; count += 1) meter.settled('exhausted');
    if (stopped && claimed.length > 0) {
      await queue.release(claimed);
      return 0;
    }
    for (const delivery of claimed) void send(lane, delivery, recipient, claimedOn);
    return claimed.length;
  }

  async function send(lane: Lane, delivery: Claimed, to: Recipient, claimedOn: number): Promise<void> {
    let settled = Promise.resolve();
    try {
      const made = await makeAttempt(delivery, to, claimedOn);
      settled = made.settled;
      if (made.acknowledged !== null) lane.failures = made.acknowledged ? 0 : lane.failures + 1;
    } catch (error) {
      report(error);
    }
    lane.sending -= 1;
    lane.unrecorded += 1;
    sending -= 1;
    if (isEased(lane, limits)) rest(lane);
    passOn(lane);
    await settled;
    lane.unrecorded -= 1;
    proceed(lane);
  }

  function rest(lane: Lane): void {
    if (lane.resting || stopped) return;
    lane.resting = true;
    setTimeout(() => {
      lane.resting = false;
      proceed(lane);
    }, limits.restMs);
  }

  function settleQuiet(): void {
    if (onQuiet.size === 0 || ![...lanes.values()].every(isQuiet)) return;
    for (const done of onQuiet) done();
    onQuiet.clear();
  }

  function untilQuiet(): Promise<void> {
    return new Promise((done) => {
      onQuiet.add(done);
      settleQuiet();
    });
  }

  return {
    start() {
      stopped = false;
      poll();
    },
    wake: poll,
    async runOnce() {
      stopped = false;
      await look();
      await untilQuiet();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      for (const lane of lanes.values()) lane.more = false;
      await untilQuiet();
    },
  };
}
