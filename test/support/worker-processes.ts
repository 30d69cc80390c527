import { type ChildProcess, spawn } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { testRun } from './test-run.js';
import { waitFor } from './wait-for.js';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** All its output on standard output and standard error. */
  output: string;
}

/** A separate process that tests stop and kill. */
export interface Worker {
  process: ChildProcess;
  ended: Promise<Ended>;
}

/**
 * Builds a program (`new URL('worker.ts', import.meta.url)`) once, so that each of the many processes starts in a
 * fraction of a second. Its one argument is the task as JSON.
 */
export async function buildWorker<Task>(entry: URL): Promise<(task: Task) => Worker> {
  const source = fileURLToPath(entry);
  const name = `${basename(dirname(source))}-${basename(source, '.ts')}-${process.pid}.mjs`;
  const outfile = join(testRun.runDir, name);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return (task) => {
    const child = spawn(process.execPath, [outfile, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, output }));
    });
    return { process: child, ended };
  };
}

/** Repeats until there is a result: leases expire and the server ends abandoned transactions in their own time. */
export function eventually<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  return waitFor(
    async () => {
      const result = await attempt();
      if (result === undefined) throw new Error('there was no result in 20 s');
      return result;
    },
    { timeout: 20_000, interval: 50 },
  );
}
