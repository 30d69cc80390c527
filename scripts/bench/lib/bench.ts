import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTimeout } from '../../../server/timing.js';
import type { Compiled } from '../../lib/compile.js';
import { freePort } from '../../lib/free-port.js';
import { productionFlags } from '../../lib/node-flags.js';
import { StartedParts } from '../../lib/started-parts.js';
import { untilReady } from '../../lib/until-ready.js';
import { type RunningMongo, startMongo } from '../../mongod/replica-set.js';
import type { BenchRow } from './figures.js';
import { type Program, type ProgramOptions, startProgram } from './program.js';
import type { AnchorsStarted, CallCounts } from './programs/anchors.js';

export type { BenchRow } from './figures.js';

/**
 * What every file of scripts/bench exports (helpers and programs live in folders); its name is the file's. A bench
 * measures alternatives in turns in one run and reports their ratios; it never passes or fails by time.
 * It throws only where what it measured was wrong: answers with another status, a count that is not what it must be.
 */
export interface Bench {
  run(context: BenchContext): Promise<BenchRow[]>;
  /** Time after which the bench is aborted, with measurements of three seconds; four minutes if absent. */
  limitMs?: number;
  /** Whether the bench runs only if it is named. */
  onlyWhenNamed?: boolean;
  /** What `npm run bench:profile` measures instead of the whole bench. */
  mainLoad?: (context: BenchContext) => Promise<unknown>;
}

/** Everything started through it is stopped when the bench ends, however it ends, last started first. */
export interface BenchContext {
  /** How long one timed measurement lasts: BENCH_SECONDS, 3 where unset. A bench should take some 15 of them. */
  seconds: number;
  /** Aborted when the bench's time is over. */
  signal: AbortSignal;
  /** A folder for files; removed after the run. */
  folder: string;
  /** Progress for a person, on stderr. */
  say(line: string): void;
  /** A fresh replica set of one member in a process of its own; `uri` names an empty database. */
  startMongo(): Promise<RunningMongo>;
  /** One of our programs, compiled, in its own process: `server/main`, `scripts/bench/lib/programs/serve`. */
  startProgram(program: string, options?: ProgramOptions): Promise<Program>;
  /** The simulated anchors in a process of their own, answering at once. */
  startAnchors(): Promise<AnchorsProcess>;
  /**
   * The compiled service in its own process, logging at `info` to nowhere; the scheduler is off unless `env` enables it.
   * @param release another release, compiled; this checkout where absent
   */
  startService(
    env: Record<string, string>,
    options?: { nodeArgs?: readonly string[]; release?: Compiled },
  ): Promise<ServiceProcess>;
  /** The generator of load in a process of its own, for `measure`. */
  startLoadGenerator(): Promise<Program>;
  /** Registers something else to stop when the bench ends. */
  onEnd(name: string, stop: () => Promise<void>): void;
}

export interface ServiceProcess extends Program {
  /** `http://127.0.0.1:<port>` */
  url: string;
}

export interface AnchorsProcess extends Program {
  /** For `startService`: FLEET_FILE, FX_URL, OUTBOUND_ALLOW, partner tokens. */
  env: Record<string, string>;
  /** How often each was asked for a price since `resetCalls`. */
  calls(): Promise<CallCounts>;
  resetCalls(): Promise<void>;
}

export const benchAdminKey = 'admin-key-of-the-benches-0123456789';
export const benchCronSecret = 'cron-secret-of-the-benches-0123456789';

/** How benches run the service unless they say otherwise; requests may name any client they like. */
const serviceEnvironment = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  ADMIN_SECRET_KEY: benchAdminKey,
  CRON_SECRET: benchCronSecret,
  WEBHOOK_KEY: '5e'.repeat(32),
  TRUST_PROXY: '127.0.0.0/8',
  SCHEDULER: 'off',
  // No balancer has to notice that an instance of a bench stops.
  DRAIN_SECONDS: '0',
  LOG_LEVEL: 'info',
};

/** How long a measurement lasts where BENCH_SECONDS is unset. */
export const usualSeconds = 3;
const usualLimitMs = 240_000;

/** Time after which a bench is aborted. It grows with longer measurements. */
export function timeLimitMs({ limitMs = usualLimitMs }: Pick<Bench, 'limitMs'>, seconds: number): number {
  return limitMs * Math.max(1, seconds / usualSeconds);
}

export interface BenchSettings {
  seconds: number;
  /** Time after which a bench is aborted. */
  limitMs: number;
  compiled: Compiled;
  /** For fleet files and the like; the caller removes the folder. */
  folder: string;
  say: (line: string) => void;
  /** Further arguments for Node, of every process of the service. */
  serviceNodeArgs?: readonly string[];
}

export interface BenchRun<Result = BenchRow[]> {
  rows: Promise<Result>;
  /** Ends it early, with everything it started. */
  stop(): Promise<void>;
}

/** Runs one bench; everything that it started has ended when `rows` settles. */
export function runBench<Result>(
  name: string,
  run: (context: BenchContext) => Promise<Result>,
  settings: BenchSettings,
): BenchRun<Result> {
  const parts = new StartedParts(settings.say);
  const over = new AbortController();
  const stop = () => {
    over.abort();
    parts.interrupt();
    return parts.stop();
  };
  const late = () => new Error(`${name} was not done in ${settings.limitMs / 1000} s`);
  const measured = withTimeout(settings.limitMs, run(contextOf(settings, parts, over.signal)), late);
  return { rows: measured.finally(stop), stop };
}

function contextOf(settings: BenchSettings, parts: StartedParts, signal: AbortSignal): BenchContext {
  const { seconds, compiled, folder, say, serviceNodeArgs = [] } = settings;

  function start(program: string, options?: ProgramOptions, release = compiled): Promise<Program> {
    const files = {
      program: release.fileOf(program),
      probe: compiled.fileOf('scripts/bench/lib/programs/probe'),
    };
    return parts.add(program, startProgram(files, options));
  }

  return {
    seconds,
    signal,
    folder,
    say,
    startMongo: () => parts.add('MongoDB', startMongo({ ownProcess: true, database: 'bench' })),
    startProgram: (program, options) => start(program, options),
    async startAnchors() {
      const program = await start('scripts/bench/lib/programs/anchors');
      const { fleet, env } = (await program.ready()) as AnchorsStarted;
      const fleetFile = join(folder, `fleet-${program.pid}.json`);
      await writeFile(fleetFile, JSON.stringify(fleet));
      return {
        ...program,
        env: { ...env, FLEET_FILE: fleetFile },
        calls: async () => (await program.ask('calls')) as CallCounts,
        resetCalls: async () => void (await program.ask('reset-calls')),
      };
    },
    async startService(env, { nodeArgs = [], release } = {}) {
      const port = await freePort();
      const options = {
        env: { ...serviceEnvironment, PORT: String(port), ...env },
        nodeArgs: [...productionFlags, ...nodeArgs, ...serviceNodeArgs],
      };
      const program = await start('server/main', options, release);
      const url = `http://127.0.0.1:${port}`;
      await Promise.race([untilReady(url), program.crashed]);
      return { ...program, url };
    },
    async startLoadGenerator() {
      const generator = await start('scripts/bench/lib/programs/load-generator');
      await generator.ready();
      return generator;
    },
    onEnd: (name, stop) => {
      // Rejects when the bench is being stopped already; the part is stopped nevertheless.
      parts.add(name, { stop }).catch(() => undefined);
    },
  };
}
