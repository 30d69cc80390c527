import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** One of our programs in a process of its own. */
export interface Program {
  pid: number;
  /** Its first message, once it is up. */
  ready: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a compiled file under Node. It gets no other variable of the environment than these, PATH and HOME. */
export function startProgram(
  file: string,
  {
    args = [],
    env = {},
    nodeArgs = [],
  }: { args?: string[]; env?: Record<string, string>; nodeArgs?: string[] } = {},
): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(file, args, {
    execArgv: nodeArgs,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const ready = Promise.race([
    once(child, 'message').then(([message]) => message),
    ended.then(([code]) => {
      throw new Error(`${file} ended with ${code}`);
    }),
  ]);
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Linux counts a process's time in ticks of this length, whatever its kernel was built with. */
const tickMs = 10;

/** Milliseconds of processor time of a process, in steps of 10 ms; NaN where the system has no /proc. */
export async function processCpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name before the last parenthesis may hold anything; utime and stime are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** What the work returns, and the milliseconds of processor time that each of these processes spends meanwhile. */
export async function withCpu<T>(pids: readonly number[], work: () => Promise<T>) {
  const before = await Promise.all(pids.map(processCpuMs));
  const result = await work();
  const after = await Promise.all(pids.map(processCpuMs));
  return { result, spentMs: after.map((each, place) => each - (before[place] ?? 0)) };
}

/** The most memory that a process has (RSS, in bytes) while `work` runs; NaN where the system has no /proc. */
export async function mostMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  let [most, isOver] = [0, false];
  const watch = (async () => {
    while (!isOver) {
      const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      most = Math.max(most, Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1_024);
      await delay(50);
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watch;
  return most;
}
