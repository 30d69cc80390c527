import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Random } from '../../ports.js';
import type { FanOut } from './fan-out.js';
import { createLanes, type LanesDeps } from './lanes.js';
import { laneOf } from './store.js';
import type { WorkQueue } from './work-queue.js';

/** Brings events to webhooks. Any number of instances may do so at once. */
export interface Dispatcher {
  start(): void;
  /** Looks for all there is to do now: an admin did something. Nothing before `start`. */
  wake(): void;
  /** Looks for events now: some were committed. Nothing before `start`. */
  wakeForEvents(): void;
  /** Deletes what there is of a webhook that was deleted, in steps and in the background. */
  forget(webhookId: string): void;
  /** One look for work, then all of it that is due, settled. For tests, which move the clock in between. */
  runOnce(): Promise<void>;
  /** Begins nothing more and waits for what is being sent. */
  stop(): Promise<void>;
}

export interface DispatcherDeps extends Omit<LanesDeps, 'queue' | 'report' | 'limits'> {
  fanOut: FanOut;
  queue: WorkQueue;
  random: Random;
  limits: LanesDeps['limits'] & { pollMs: number };
}

/** Instances drift apart by it. */
const pollJitter = 0.2;
/** Looks follow each other no faster, so that a stream of events is taken in batches; the first one is at once. */
const restBetweenLooksMs = 20;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { fanOut, queue, random, stopwatch, logger, limits } = deps;
  const lanes = createLanes({ ...deps, report });
  let started = false;
  let looking: Promise<void> | undefined;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  /** What is due, beside new events, is to be looked for. */
  let dueWanted = true;
  let dueSoughtOn = 0;

  /** Fans out what is open, and opens every lane in which something is due: retries and claims that ran out, too. */
  async function look(): Promise<void> {
    for (let more = true; more; ) {
      more = await fanOut(lanes.open);
      if (dueWanted || stopwatch() - dueSoughtOn >= limits.pollMs) await openDue();
    }
  }

  async function openDue(): Promise<void> {
    dueWanted = false;
    dueSoughtOn = stopwatch();
    for (const id of await queue.lanes()) lanes.open(id);
  }

  function wake(): void {
    dueWanted = true;
    poll();
  }

  function poll(): void {
    if (!started) return;
    if (looking !== undefined) {
      again = true;
      return;
    }
    clearTimeout(timer);
    looking = look()
      .catch(report)
      .finally(() => {
        looking = undefined;
        if (!started) return;
        const pollMs = limits.pollMs * (1 + pollJitter * (2 * random() - 1));
        timer = again ? setTimeout(poll, restBetweenLooksMs) : setTimeout(wake, pollMs);
        again = false;
      });
  }

  function report(error: unknown): void {
    if (isMongoUnavailable(error)) logger.warn({ err: error }, 'webhook deliveries wait for the database');
    else logger.error({ err: error }, 'webhook dispatcher failed; it goes on with the next poll');
  }

  return {
    start() {
      started = true;
      poll();
    },
    wake,
    wakeForEvents: poll,
    // A lane that is opened finds out that its webhook is gone.
    forget: (webhookId) => lanes.open(laneOf(webhookId, false)),
    async runOnce() {
      dueWanted = true;
      await look();
      await lanes.untilQuiet();
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await looking;
      await lanes.stop();
    },
  };
}
