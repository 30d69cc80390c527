import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

/** Waits until SIGSTOP has stopped a process; throws its output if it ends instead. */
export async function untilStopped(worker: Worker): Promise<void> {
  let ended: Ended | undefined;
  worker.ended.then((end) => {
    ended = end;
  });
  for (let tries = 0; tries < 400; tries += 1) {
    if (ended !== undefined) throw new Error(`the worker ended: ${JSON.stringify(ended)}`);
    if (worker.process.exitCode === null && isStopped(worker.process.pid ?? 0)) return;
    await delay(25);
  }
  throw new Error('the worker was not stopped');
}

function isStopped(pid: number): boolean {
  if (process.platform === 'linux') {
    const file = `/proc/${pid}/status`;
    return existsSync(file) && /^State:\s+T/m.test(readFileSync(file, 'utf8'));
  }
  return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .startsWith('T');
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
