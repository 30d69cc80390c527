import type { Instances } from '../cluster/instances.js';
import type { Members } from '../cluster/members.js';
import type { Fault, FaultKind } from '../plan.rules.js';
import type { KillSeen, Period, Stop, TickSeen } from '../verdict.rules.js';

/** The parts of the storm that the faults act on. */
export interface Stage {
  members: Members;
  instances: Instances;
  /** The writes that the traffic has in flight, on one instance or on all. */
  writesUnderWay(url?: string): number;
  clock(): number;
  chronicle: Chronicle;
  /** The bearer credential of internal endpoints. */
  cronSecret: string;
}

/** `missed`: there was nothing to break, or it refused. */
export type Action = (fault: Fault, stage: Stage) => Promise<'done' | 'missed'>;

export interface ChronicleEvent {
  atMs: number;
  /** The number of its fault. */
  number: number;
  kind: string;
  what: string;
}

export interface Kill extends KillSeen {
  whom: string;
}

/** Everything that was done to the service, as it happened. */
export interface Chronicle {
  events: ChronicleEvent[];
  kills: Kill[];
  /** Periods in which a primary neither answered nor ended, and no other fault was active. */
  freezes: Period[];
  /** Ticks that crowds of requests started. */
  ticks: TickSeen[];
  /** How many of their requests were answered 500, as where two ticks did the same. */
  failedTicks: number;
  /** How instances ended that were asked to. */
  stops: Stop[];
  /** How many faults were completed, by kind. */
  done: Map<FaultKind, number>;
  say(fault: Fault, what: string): void;
}

export function createChronicle(clock: () => number, print: (line: string) => void): Chronicle {
  const events: ChronicleEvent[] = [];
  return {
    events,
    kills: [],
    freezes: [],
    ticks: [],
    failedTicks: 0,
    stops: [],
    done: new Map(),
    say({ number, kind }, what) {
      const atMs = clock();
      events.push({ atMs, number, kind, what });
      print(`${new Date(atMs).toISOString().slice(11, 23)}  ${String(number).padStart(3)} ${kind}: ${what}`);
    },
  };
}
