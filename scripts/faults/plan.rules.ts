import type { Random } from '../../server/ports.js';
import { between, seeded } from '../lib/random.js';

/**
 * Faults of each track follow one another, and the tracks run at the same time: so at most one member is broken at a time,
 * which a set of three bears, while instances and connections are.
 */
export type Track = 'members' | 'instances' | 'connections';

interface KindOfFault {
  track: Track;
  /** Forces an election. */
  elects?: true;
  /** A process is killed. */
  kills?: true;
  /** The duration in milliseconds; absent if the fault is instantaneous. */
  lastsMs?: readonly [atLeast: number, atMost: number];
}

/** Every kind of fault. What each does is in the file of its track. */
const kindsOfFaults = {
  'kill-primary': { track: 'members', elects: true, kills: true, lastsMs: [2_000, 6_000] },
  // Longer than the members' election timeout.
  'freeze-primary': { track: 'members', elects: true, lastsMs: [12_000, 15_000] },
  'step-down': { track: 'members', elects: true },
  'cut-off-primary': { track: 'members', elects: true, lastsMs: [10_000, 13_000] },
  'mute-primary': { track: 'members', elects: true, lastsMs: [10_000, 13_000] },
  'deafen-primary': { track: 'members', elects: true, lastsMs: [10_000, 13_000] },
  // Longer than it takes the others to elect.
  'isolate-primary': { track: 'members', elects: true, lastsMs: [12_000, 15_000] },
  'delay-member': { track: 'members', lastsMs: [4_000, 8_000] },
  'fill-disk': { track: 'members', lastsMs: [6_000, 10_000] },
  'kill-instance': { track: 'instances', kills: true, lastsMs: [0, 800] },
  'freeze-instance': { track: 'instances', lastsMs: [3_000, 12_000] },
  'exhaust-files': { track: 'instances', lastsMs: [3_000, 8_000] },
  'wrong-clock': { track: 'instances', lastsMs: [8_000, 15_000] },
  'rolling-restart': { track: 'instances' },
  'cut-connections': { track: 'connections' },
  'crowd-tick': { track: 'connections' },
  'lose-commit': { track: 'connections' },
  'lose-answer-to-commit': { track: 'connections' },
} as const satisfies Record<string, KindOfFault>;

export type FaultKind = keyof typeof kindsOfFaults;

export interface Fault {
  /** The position in the plan, from 1. */
  number: number;
  kind: FaultKind;
  /** Milliseconds after the end of the previous fault of its track. */
  afterMs: number;
  lastsMs: number;
  /** Selects the target if there is a choice. */
  pick: number;
}

export interface PlanOptions {
  seed: number;
  /** The minimum number of elections; a few more are planned, because not every fault causes one. The same for kills. */
  elections: number;
  kills: number;
  /** Only these kinds. */
  only?: readonly FaultKind[] | undefined;
  /** Kinds that are not possible here. */
  without?: readonly FaultKind[];
}

export const allKinds = Object.keys(kindsOfFaults) as FaultKind[];
const spareElections = 1.25;
const spareKills = 1.05;
/** The instances' track has one fault of another kind per this many kills. */
const killsPerOther = 8;
const pauseMs: Record<Track, readonly [number, number]> = {
  members: [1_000, 4_000],
  instances: [200, 1_500],
  connections: [1_000, 3_000],
};

export const electsOf = (kind: FaultKind) => 'elects' in kindsOfFaults[kind];
export const killsOf = (kind: FaultKind) => 'kills' in kindsOfFaults[kind];

/** The faults of each track, in order: the same for the same seed. Every kind that is allowed occurs. */
export function planFaults({
  seed,
  elections,
  kills,
  only,
  without = [],
}: PlanOptions): Record<Track, Fault[]> {
  const random = seeded(seed);
  const allowed = allKinds.filter((kind) => (only?.includes(kind) ?? true) && !without.includes(kind));
  const of = (track: Track) => allowed.filter((kind) => kindsOfFaults[kind].track === track);

  const members = of('members');
  const electing = members.filter(electsOf);
  const wanted = Math.ceil(elections * spareElections);
  members.push(...repeated(electing, wanted - electing.length, random));

  const killsOfMembers = members.filter(killsOf).length;
  const instances = of('instances');
  const others = instances.filter((kind) => !killsOf(kind));
  instances.push(...repeated(others, Math.floor(kills / killsPerOther) - others.length, random));
  const killing = instances.filter(killsOf);
  const killsLeft = Math.ceil(kills * spareKills) - killsOfMembers - killing.length;
  instances.push(...repeated(killing, killsLeft, random));

  const connections = of('connections');
  connections.push(...repeated(connections, members.length, random));

  let number = 0;
  const inOrder = (track: Track, kinds: readonly FaultKind[]): Fault[] =>
    shuffled(kinds, random).map((kind) => {
      const given: KindOfFault = kindsOfFaults[kind];
      const [atLeast, atMost] = given.lastsMs ?? [0, 0];
      number += 1;
      return {
        number,
        kind,
        afterMs: between(random, ...pauseMs[track]),
        lastsMs: between(random, atLeast, atMost),
        pick: between(random, 0, 999),
      };
    });
  return {
    members: inOrder('members', members),
    instances: inOrder('instances', instances),
    connections: inOrder('connections', connections),
  };
}

/** This many faults of these kinds, each equally often, in a random order. */
function repeated(kinds: readonly FaultKind[], count: number, random: Random): FaultKind[] {
  const found: FaultKind[] = [];
  while (kinds.length > 0 && found.length < count) found.push(...shuffled(kinds, random));
  return found.slice(0, Math.max(0, count));
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
