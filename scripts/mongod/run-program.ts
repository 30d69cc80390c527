import { execa } from 'execa';

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

/** Runs a program to its end or its time limit. It never throws and never prints. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { timeoutMs, env, signal }: Options,
): Promise<ProgramResult> {
  const result = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  const { stdout, stderr, failed, code, timedOut, isCanceled } = result;
  if (!failed) return { stdout, failure: '' };
  if (code === 'ENOENT') return { stdout, failure: `${file} is not installed` };
  if (timedOut) return { stdout, failure: `not done after ${Math.round(timeoutMs / 1000)} s` };
  if (isCanceled) return { stdout, failure: String(signal?.reason) };
  const lastLine = stderr.trimEnd().split('\n').at(-1)?.trim();
  return { stdout, failure: lastLine || `ended with ${result.signal ?? result.exitCode}` };
}
