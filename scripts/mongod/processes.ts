import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Implemented here, because execa only knows the processes that it has started itself.

/** The command line of a process, words joined by spaces; empty when it has ended or cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (!(pid > 0)) return '';
  if (process.platform === 'linux') {
    // A process that has ended but was not collected by its parent has an empty command line.
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  }
  const { stdout } = await runProgram('ps', ['-p', String(pid), '-o', 'command='], { timeoutMs: 5_000 });
  return stdout.trim();
}

/** Asks a process to end, waits, then kills it. Resolves to whether it is gone. */
export async function endProcess(pid: number, graceMs: number): Promise<boolean> {
  const isRunning = async () => (await commandLine(pid)) !== '';
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isRunning())) return true;
    process.kill(pid, signal);
    const deadline = Date.now() + graceMs;
    while (Date.now() < deadline && (await isRunning())) await sleep(50);
  }
  return !(await isRunning());
}

/**
 * Ends the mongod that an earlier run left on this folder: a run that was killed could not stop it. A lock file without its
 * process needs no handling, because mongod notices that and recovers from its journal.
 * @throws Error if it cannot be ended.
 */
export async function endLeftover(dbPath: string): Promise<void> {
  const pid = Number(await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  if (!(pid > 0)) return;
  const command = await commandLine(pid);
  // Another program may have this process id by now.
  const isLeftover = command.includes('mongod') && command.includes(dbPath);
  if (isLeftover && !(await endProcess(pid, 20_000)))
    throw new Error(`A mongod of an earlier run (process ${pid}) still holds ${dbPath}: end it.`);
}

export interface ProgramResult {
  stdout: string;
  /** One line that says what went wrong; empty when the program ended with 0. */
  failure: string;
}

/**
 * Runs a program to its end or its time limit. It never throws and never prints. By Node's own execFile and not by
 * execa, which cannot be loaded in jest's global set-up: jest requires that as CommonJS.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  { timeoutMs }: { timeoutMs: number },
): Promise<ProgramResult> {
  const options = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      const lastLine = stderr.trimEnd().split('\n').at(-1)?.trim();
      const failure =
        error?.killed === true ? `not done after ${timeoutMs / 1_000} s` : lastLine || error?.message || '';
      resolve({ stdout, failure: error === null ? '' : failure });
    }).stdin?.end();
  });
}
