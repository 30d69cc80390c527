import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from './run-program.js';

/** Whether a process of this id exists, ours or another's. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The command line of a process, words joined by spaces; empty when it has ended or cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    // An ended process that its parent has not collected has an empty command line, as it should here.
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  }
  const { stdout } = await runProgram('ps', ['-p', String(pid), '-o', 'command='], { timeoutMs: 5_000 });
  return stdout.trim();
}

/** Asks a process to end, waits, and insists. Resolves once it is gone or cannot be made to go. */
export async function endProcess(pid: number, graceMs: number): Promise<boolean> {
  for (const [signal, waitMs] of [
    ['SIGCONT', 0],
    ['SIGTERM', graceMs],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!(await isRunning(pid))) return true;
    try {
      process.kill(pid, signal);
    } catch {
      return !isAlive(pid);
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline && (await isRunning(pid))) await sleep(50);
  }
  return !(await isRunning(pid));
}

/** As isAlive, but a process that has ended and only awaits collection by its parent does not count. */
async function isRunning(pid: number): Promise<boolean> {
  return isAlive(pid) && (await commandLine(pid)) !== '';
}
