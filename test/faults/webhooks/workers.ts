import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pauseMark, type Task } from './worker.js';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What it wrote on standard error. */
  complaints: string;
}

export interface Worker {
  process: ChildProcess;
  ended: Promise<Ended>;
}

/** Builds the worker once, so that each of the many processes starts in a fraction of a second. */
export async function buildWorker(folder: string): Promise<(task: Task) => Worker> {
  const outfile = join(folder, `webhooks-worker-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return (task) => {
    const child = spawn(process.execPath, [outfile, JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, complaints }));
    });
    return { process: child, ended };
  };
}

/** Keeps a process of a kind running: whenever one is killed, the next takes its place. */
export interface Crew {
  /** How many were killed so far, and how many of them were stopped and woken before. */
  readonly killed: number;
  readonly paused: number;
  /** Kills the one there is, and no other follows. Returns everything that any of them complained about. */
  dismiss(): Promise<string>;
}

/** One that stops itself is woken after `pausedForMs`, works for as long again, and is killed. */
export function keepRunning(start: () => Worker, pausedForMs: number): Crew {
  const counted = { killed: 0, paused: 0 };
  const timers = new Set<NodeJS.Timeout>();
  let complaints = '';
  let dismissed = false;
  let worker = launch();

  function launch(): Worker {
    const started = start();
    const { process: child } = started;
    const later = (factor: number, signal: NodeJS.Signals) =>
      timers.add(setTimeout(() => child.kill(signal), factor * pausedForMs));
    child.stderr?.on('data', (chunk: Buffer) => {
      if (!chunk.includes(pauseMark)) return;
      counted.paused += 1;
      later(1, 'SIGCONT');
      later(2, 'SIGKILL');
    });
    return started;
  }

  async function follow(): Promise<void> {
    for (;;) {
      const end = await worker.ended;
      complaints += end.complaints.replaceAll(pauseMark, '');
      if (dismissed) return;
      if (end.signal !== 'SIGKILL') throw new Error(`a worker ended by itself: ${end.complaints}`);
      counted.killed += 1;
      worker = launch();
    }
  }
  const following = follow();

  return {
    get killed() {
      return counted.killed;
    },
    get paused() {
      return counted.paused;
    },
    async dismiss() {
      dismissed = true;
      for (const timer of timers) clearTimeout(timer);
      worker.process.kill('SIGKILL');
      await following;
      return complaints;
    },
  };
}
