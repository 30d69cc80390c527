import type { Clock, Logger } from '../../ports.js';
import type { MakeAttempt, WebhookMeter } from './attempt.js';
import type { Destinations, Recipient } from './destinations.js';
import { claimSize, isEased, isQuiet, type Lane, type LaneLimits, maySend, newLane } from './lane.rules.js';
import { readLane } from './store.js';
import type { Claimed, WorkQueue } from './work-queue.js';

/** Sends what is due in each lane, the lanes taking turns. */
export interface Lanes {
  /** Something may be due in this lane. */
  open(id: string): void;
  /** Resolves when nothing is in hand and nothing known to be due. */
  untilQuiet(): Promise<void>;
  /** Begins nothing more, hands back what is only claimed, waits for what is being sent. */
  stop(): Promise<void>;
}

export interface LanesDeps {
  queue: Pick<WorkQueue, 'claim' | 'release' | 'drop'>;
  destinations: Pick<Destinations, 'find'>;
  makeAttempt: MakeAttempt;
  meter: WebhookMeter;
  /** Names this process among all, for its lifetime. */
  owner: string;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  report: (error: unknown) => void;
  logger: Logger;
  /** `startsWithinMs`: how long after its claim a POST may still begin. */
  limits: LaneLimits & { startsWithinMs: number };
}

interface Ready {
  delivery: Claimed;
  to: Recipient;
  claimedOn: number;
}

interface RunningLane extends Lane {
  /** Claimed, in the order in which they are sent. */
  ready: Ready[];
}

export function createLanes(deps: LanesDeps): Lanes {
  const { queue, destinations, makeAttempt, meter, owner, stopwatch, report, logger, limits } = deps;
  const lanes = new Map<string, RunningLane>();
  /** Lanes with something to send, in turn: each begins one POST and goes to the end. */
  const turns = new Set<RunningLane>();
  const onQuiet = new Set<() => void>();
  let sending = 0;
  let claims = 0;
  let stopped = false;

  /** What comes next for a lane, after anything that changed it. */
  function proceed(lane: RunningLane): void {
    if (stopped) lane.more = false;
    if (maySend(lane, lane.ready.length, limits)) turns.add(lane);
    takeTurns();
    const size = claimSize(lane, lane.ready.length, limits);
    if (size > 0) void claim(lane, size);
    if (onQuiet.size > 0 && allQuiet()) {
      for (const done of onQuiet) done();
      onQuiet.clear();
    }
  }

  function takeTurns(): void {
    for (const lane of turns) {
      if (sending >= limits.inAll) return;
      turns.delete(lane);
      const next = lane.ready.shift();
      if (next === undefined) continue;
      if (stopped || stopwatch() - next.claimedOn > limits.startsWithinMs) {
        void handBack(lane, [next, ...lane.ready.splice(0)]);
        continue;
      }
      void send(lane, next);
      if (maySend(lane, lane.ready.length, limits)) turns.add(lane);
    }
  }

  async function claim(lane: RunningLane, size: number): Promise<void> {
    lane.claiming = true;
    // What a look finds while the claim is under way is not forgotten: the claim may have missed it.
    lane.more = false;
    lane.batch = Math.max(size, limits.perLane);
    try {
      await claimFor(lane, size);
    } catch (error) {
      report(error);
    }
    lane.claiming = false;
    proceed(lane);
  }

  async function claimFor(lane: RunningLane, size: number): Promise<void> {
    const { webhookId, byAdmin } = readLane(lane.id);
    const to = await destinations.find(webhookId);
    if (to === 'gone') {
      lane.more ||= !(await queue.drop(webhookId));
      if (!lane.more) lanes.delete(lane.id);
      return;
    }
    if (stopped || to === 'locked' || !(to.enabled || byAdmin)) return;
    claims += 1;
    const claimedOn = stopwatch();
    const { claimed, exhausted, more } = await queue.claim(lane.id, size, `${owner}:${claims}`);
    lane.more ||= more;
    lane.ready.push(...claimed.map((delivery) => ({ delivery, to, claimedOn })));
    if (exhausted > 0) logger.warn({ webhookId, deliveries: exhausted }, 'webhook deliveries exhausted');
    for (let count = 0; count < exhausted; count += 1) meter.settled('exhausted');
  }

  async function send(lane: RunningLane, { delivery, to }: Ready): Promise<void> {
    lane.sending += 1;
    sending += 1;
    let settled = Promise.resolve();
    try {
      const made = await makeAttempt(delivery, to);
      settled = made.settled;
      lane.answerMs = made.elapsedMs;
      lane.failures = made.outcome === 'acknowledged' ? 0 : lane.failures + 1;
      // Until it is known to be disabled, nothing more goes there.
      if (made.outcome === 'refused') restUntil(lane, settled);
      else if (isEased(lane, limits)) restUntil(lane, delay(limits.restMs));
    } catch (error) {
      report(error);
    }
    lane.sending -= 1;
    sending -= 1;
    lane.unrecorded += 1;
    proceed(lane);
    await settled;
    lane.unrecorded -= 1;
    proceed(lane);
  }

  /** What is ready was claimed for a receiver as it was before: it is handed back, and claimed again if at all. */
  function restUntil(lane: RunningLane, end: Promise<void>): void {
    lane.resting = true;
    if (lane.ready.length > 0) void handBack(lane, lane.ready.splice(0));
    void end.then(() => {
      lane.resting = false;
      proceed(lane);
    });
  }

  async function handBack(lane: RunningLane, ready: readonly Ready[]): Promise<void> {
    lane.unrecorded += ready.length;
    await queue.release(ready.map(({ delivery }) => delivery)).catch(report);
    lane.unrecorded -= ready.length;
    lane.more = true;
    proceed(lane);
  }

  function allQuiet(): boolean {
    return [...lanes.values()].every((lane) => isQuiet(lane, lane.ready.length));
  }

  function untilQuiet(): Promise<void> {
    return new Promise((done) => {
      if (allQuiet()) done();
      else onQuiet.add(done);
    });
  }

  return {
    open(id) {
      const lane = lanes.get(id) ?? { ...newLane(id, limits), ready: [] };
      lanes.set(id, lane);
      lane.more = true;
      proceed(lane);
    },
    untilQuiet,
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) proceed(lane);
      await untilQuiet();
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
