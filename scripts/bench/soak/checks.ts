import { medianOf } from '../lib/figures.js';
import type { ObjectsReading } from '../lib/programs/probe-questions.js';

/** One part of the soak: a minute of the full one. */
export interface SoakPart {
  answers: number;
  p50Ms: number;
  p99Ms: number;
  registerP99Ms: number;
  waiting: number;
  rssBytes: number;
  mongodRssBytes: number;
  /** Requests that are answered slowly hold more connections, and streams come and go. */
  clients: number;
  /** Sockets that no client holds: of MongoDB, anchors and receivers, and the ones that it listens on. */
  ownSockets: number;
  otherFiles: number;
  /** Timers that keep the process running. */
  timers: number;
  listeners: number;
  listenerWarnings: number;
  sessions: number;
  openTransactions: number;
  connections: number;
  openCursors: number;
}

/** Read while no request is under way, the streams being open. */
export interface CollectedReading extends ObjectsReading {
  heapBytes: number;
}

export interface Soaked {
  parts: readonly SoakPart[];
  /** The reading after the first quarter, when every bounded table is full. */
  filled: CollectedReading;
  end: CollectedReading;
  addresses: number;
  amounts: number;
  /** How many of each there should have been. */
  goal: number;
  lostStreams: number;
}

/** Whether something stayed within its bound. */
export interface SoakCheck {
  what: string;
  before: number;
  after: number;
  /** The most that `after` may be; for `addresses` and `amounts`, the least. */
  bound: number;
  holds: boolean;
}

/** A bounded figure may vary by this factor, and a little more if it is small. */
const variation = 1.15;

/**
 * Compares the second quarter, by when every bounded table is full, with the last one; latencies from the first quarter
 * on, since nothing may have to warm up for them.
 */
export function checksOf(soaked: Soaked): SoakCheck[] {
  const { parts, filled, end, goal } = soaked;
  const quarter = (number: number) =>
    parts.slice(Math.floor((parts.length * (number - 1)) / 4), Math.floor((parts.length * number) / 4));
  const mean = (number: number, pick: (part: SoakPart) => number) =>
    quarter(number).reduce((sum, part) => sum + pick(part), 0) / quarter(number).length;
  const atMost = (what: string, before: number, after: number, bound: number): SoakCheck => ({
    what,
    before,
    after,
    bound,
    holds: after <= bound,
  });
  const bounded = (what: string, before: number, after: number, spare: number) =>
    atMost(what, before, after, before * variation + spare);
  const kept = (what: string, pick: (part: SoakPart) => number, spare: number) =>
    bounded(what, mean(2, pick), mean(4, pick), spare);
  const atLeast = (what: string, after: number): SoakCheck => ({
    what,
    before: 0,
    after,
    bound: goal,
    holds: after >= goal,
  });
  const median = (number: number, pick: (part: SoakPart) => number) => medianOf(quarter(number), pick);
  return [
    atLeast('distinct client addresses', soaked.addresses),
    atLeast('distinct amounts', soaked.amounts),
    kept('resident memory of the service, MB', ({ rssBytes }) => rssBytes / 1e6, 0),
    bounded('heap and buffers after a collection, MB', filled.heapBytes / 1e6, end.heapBytes / 1e6, 0),
    kept('sockets that no client holds', ({ ownSockets }) => ownSockets, 20),
    kept('other open files of the service', ({ otherFiles }) => otherFiles, 3),
    kept('timers that keep it running', ({ timers }) => timers, 20),
    bounded('timers in memory', filled.timers, end.timers, 50),
    bounded('emitters of events in memory', filled.emitters, end.emitters, 50),
    bounded('abort signals in memory', filled.abortSignals, end.abortSignals, 50),
    bounded('sockets in memory', filled.sockets, end.sockets, 20),
    bounded('promises in memory', filled.promises, end.promises, 200),
    kept('listeners of the process', ({ listeners }) => listeners, 0),
    atMost('warnings of too many listeners', 0, parts.at(-1)?.listenerWarnings ?? Number.NaN, 0),
    kept('sessions on the server', ({ sessions }) => sessions, 10),
    kept('open transactions on the server', ({ openTransactions }) => openTransactions, 2),
    kept('connections to the server', ({ connections }) => connections, 5),
    kept('open cursors on the server', ({ openCursors }) => openCursors, 3),
    atMost('streams that were cut off', 0, soaked.lostStreams, 0),
    atMost('p50, ms', median(1, p50), median(4, p50), median(1, p50) * latencyVariation + 1),
    atMost('p99, ms', median(1, p99), median(4, p99), median(1, p99) * latencyVariation + 5),
    atMost(
      'p99 of registrations, ms',
      median(1, registerP99),
      median(4, registerP99),
      median(1, registerP99) * latencyVariation + 50,
    ),
  ];
}

/** For latencies, on a machine with other work. */
const latencyVariation = 1.5;
const p50 = ({ p50Ms }: SoakPart) => p50Ms;
const p99 = ({ p99Ms }: SoakPart) => p99Ms;
const registerP99 = ({ registerP99Ms }: SoakPart) => registerP99Ms;
