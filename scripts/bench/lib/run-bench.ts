import getPort from 'get-port';
import { withTimeout } from '../../../server/with-timeout.js';
import { StartedParts } from '../../lib/started-parts.js';
import { startMongo } from '../../mongod/replica-set.js';
import { anchorsProcess } from './anchors.js';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import type { Compiled } from './compiled.js';
import { type Program, type ProgramOptions, startProgram } from './program.js';
import { serviceEnvironment, serviceProcess } from './service.js';

export interface BenchSettings {
  seconds: number;
  /** After which a bench is given up. */
  limitMs: number;
  compiled: Compiled;
  /** For fleet files and the like; whoever made it removes it. */
  folder: string;
  say: (line: string) => void;
}

export interface BenchRun {
  rows: Promise<BenchRow[]>;
  /** Ends it early, with all it started. */
  stop(): Promise<void>;
}

/** Runs one bench; all that it started has ended when `rows` settles. */
export function runBench(bench: Bench, settings: BenchSettings): BenchRun {
  const parts = new StartedParts(settings.say);
  const over = new AbortController();
  async function measure(): Promise<BenchRow[]> {
    const late = () => new Error(`${bench.name} was not done in ${settings.limitMs / 1000} s`);
    try {
      return await withTimeout(settings.limitMs, bench.run(contextOf(settings, parts, over.signal)), late);
    } finally {
      over.abort();
      parts.interrupt();
      await parts.stop();
    }
  }
  return {
    rows: measure(),
    stop: async () => {
      over.abort();
      parts.interrupt();
      await parts.stop();
    },
  };
}

function contextOf(settings: BenchSettings, parts: StartedParts, signal: AbortSignal): BenchContext {
  const { seconds, compiled, folder, say } = settings;

  function start(program: string, options?: ProgramOptions): Promise<Program> {
    const files = {
      program: compiled.fileOf(program),
      probe: compiled.fileOf('scripts/bench/lib/programs/probe'),
    };
    return parts.add(program, Promise.resolve(startProgram(files, options)));
  }

  return {
    seconds,
    signal,
    folder,
    say,
    startMongo: () => parts.add('MongoDB', startMongo({ ownProcess: true, database: 'bench' })),
    startProgram: start,
    startAnchors: async () => anchorsProcess(await start('scripts/bench/lib/programs/anchors'), folder),
    startService: async (env, nodeArgs = []) => {
      const port = await getPort({ host: '127.0.0.1' });
      const program = await start('server/main', { env: { ...serviceEnvironment(port), ...env }, nodeArgs });
      return serviceProcess(program, port);
    },
    onEnd: (name, stop) => {
      // Rejects when the bench is being stopped already; the part is kept, and stopped, all the same.
      parts.add(name, Promise.resolve({ stop })).catch(() => undefined);
    },
  };
}
