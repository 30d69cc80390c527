import { execFile } from 'node:child_process';

export interface ProgramResult {
  stdout: string;
  /** One line that says what went wrong; empty when the program ended with 0. */
  failure: string;
}

/**
 * Runs a program to its end or its time limit. It never throws and never prints. By Node's own execFile and not by
 * execa, which cannot be loaded in jest's global set-up: jest requires that as CommonJS.
 * @param env added to the environment of this process
 */
export function runProgram(
  file: string,
  args: readonly string[],
  { timeoutMs, env = {} }: { timeoutMs: number; env?: Record<string, string> },
): Promise<ProgramResult> {
  const options = { timeout: timeoutMs, killSignal: 'SIGKILL', env: { ...process.env, ...env } } as const;
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      const lastLine = stderr.trimEnd().split('\n').at(-1)?.trim();
      const failure =
        error?.killed === true ? `not done after ${timeoutMs / 1_000} s` : lastLine || error?.message || '';
      resolve({ stdout, failure: error === null ? '' : failure });
    }).stdin?.end();
  });
}
