import type { Instances } from '../cluster/instances.js';
import type { Members } from '../cluster/members.js';
import type { Fault, FaultKind } from '../plan.rules.js';
import type { KillSeen, Period, Stop, TickSeen } from '../verdict.rules.js';

/** What the faults act on. */
export interface Stage {
  members: Members;
  instances: Instances;
  /** As the traffic counts them: on one instance, or on all. */
  writesUnderWay(url?: string): number;
  /** The compiled program of the release before; undefined where it is not to be had. */
  releaseBefore: string | undefined;
  clock(): number;
  chronicle: Chronicle;
  /** Of internal endpoints. */
  cronSecret: string;
}

/** `missed`: there was nothing to break, or it refused. */
export type Action = (fault: Fault, stage: Stage) => Promise<'done' | 'missed'>;

export interface ChronicleEvent {
  atMs: number;
  /** Of the fault it belongs to. */
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
  /** In which a primary neither answered nor ended, and no other fault was under way. */
  freezes: Period[];
  /** Those that crowds of requests started. */
  ticks: TickSeen[];
  /** How many of their requests were answered 500, as where two ticks did the same. */
  failedTicks: number;
  /** How instances ended that were asked to. */
  stops: Stop[];
  /** Faults that came to their end, by kind. */
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
