import { type ExecFileException, execFile } from 'node:child_process';

export interface ProgramResult {
  stdout: string;
  /** One line that says what went wrong; empty when the program ended with 0. */
  failure: string;
}

interface Options {
  timeoutMs: number;
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** Kills the program when aborted; the reason becomes the failure. */
  signal?: AbortSignal;
}

/**
 * Runs a program to its end or its time limit. It never throws and never prints. By Node's own execFile and not by
 * execa, which cannot be loaded in jest's global set-up: jest requires that as CommonJS.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  { timeoutMs, env, signal }: Options,
): Promise<ProgramResult> {
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    env: { ...process.env, ...env },
    ...(signal === undefined ? {} : { signal }),
  } as const;
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ stdout, failure: error === null ? '' : failureOf(error, stderr) });
    }).stdin?.end();
  });

  function failureOf(error: ExecFileException, stderr: string): string {
    if (String(error.code) === 'ENOENT') return `${file} is not installed`;
    if (signal?.aborted === true) return String(signal.reason);
    if (error.killed === true) return `not done after ${Math.round(timeoutMs / 1000)} s`;
    const lastLine = stderr.trimEnd().split('\n').at(-1)?.trim();
    return lastLine || `ended with ${error.signal ?? error.code}`;
  }
}
