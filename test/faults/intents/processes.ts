import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

export { eventually, untilStopped } from '../reputation/workers.js';

export interface Worker {
  process: ChildProcess;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>;
}

/** Builds the worker once, so that each of the many processes starts in a fraction of a second. */
export async function buildProgram<Task>(entry: string, folder: string): Promise<(task: Task) => Worker> {
  const outfile = join(folder, 'intents-worker.mjs');
  await build({
    entryPoints: [entry],
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
    const ended = new Promise<Awaited<Worker['ended']>>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, output }));
    });
    return { process: child, ended };
  };
}
