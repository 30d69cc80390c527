import type { RunningMongo } from '../../mongod/replica-set.js';
import type { AnchorsProcess } from './anchors.js';
import type { Program, ProgramOptions } from './program.js';
import type { ServiceProcess } from './service.js';

/**
 * What every file of scripts/bench exports (helpers and programs live in folders): `name`, the file's, and `run`. A
 * bench measures alternatives in turns in one run and reports their ratios; it never passes or fails by time. It throws
 * only where what it measured was wrong: answers of another status, a count that is not what it must be.
 */
export interface Bench {
  /** As on the command line, such as `http`. */
  name: string;
  run(context: BenchContext): Promise<BenchRow[]>;
}

/** One line of the tables that a bench prints. */
export interface BenchRow {
  /** Heading; rows with the same one form a table. */
  table: string;
  /** What was measured. */
  what: string;
  /** Column to figure as printed, unit included (`perSecond`, `ms`, `ratio` of figures.ts). */
  figures: Record<string, string>;
}

/** All that is started through it is stopped when the bench ends, in whatever way, last started first. */
export interface BenchContext {
  /** How long one timed measurement lasts: BENCH_SECONDS, 3 where unset. A bench should take some 15 of them. */
  seconds: number;
  /** Aborted when the bench's time is over. */
  signal: AbortSignal;
  /** For files; removed after the run. */
  folder: string;
  /** Progress for a person, on stderr. */
  say(line: string): void;
  /** A fresh replica set of one member in a process of its own; `uri` names an empty database. */
  startMongo(): Promise<RunningMongo>;
  /** One of our programs, compiled, in a process of its own: `server/main`, `scripts/bench/publisher/oracle`. */
  startProgram(program: string, options?: ProgramOptions): Promise<Program>;
  /** The simulated anchors in a process of their own, answering at once. */
  startAnchors(): Promise<AnchorsProcess>;
  /** The compiled service in a process of its own, log level `info` into the void, scheduler off unless `env` says. */
  startService(env: Record<string, string>, nodeArgs?: readonly string[]): Promise<ServiceProcess>;
  /** Stops something else that the bench has started. */
  onEnd(name: string, stop: () => Promise<void>): void;
}
