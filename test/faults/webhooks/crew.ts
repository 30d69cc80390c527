import type { Worker } from '../../helpers/worker-processes.js';
import { pauseMark } from './worker.js';

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
      complaints += end.output.replaceAll(pauseMark, '');
      if (dismissed) return;
      if (end.signal !== 'SIGKILL') throw new Error(`a worker ended by itself: ${end.output}`);
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
