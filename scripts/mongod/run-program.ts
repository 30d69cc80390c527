import { spawn } from 'node:child_process';

export interface ProgramResult {
  /** null: ended by a signal, by us or another. */
  code: number | null;
  stdout: string;
  /** One line that says what went wrong; empty when it ended with 0. */
  failure: string;
}

interface Options {
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Looked at every second; a text ends the program with that as its failure. */
  giveUp?: () => string | undefined;
}

const keptCharacters = 16_384;

/** Runs a program to its end or its deadline, with bounded memory; it never throws and never prints. */
export function runProgram(file: string, args: readonly string[], options: Options): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let abandoned: string | undefined;
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    const abandon = (reason: string): void => {
      abandoned ??= reason;
      child.kill('SIGKILL');
    };
    const deadline = setTimeout(
      () => abandon(`not done after ${Math.round(options.timeoutMs / 1000)} s`),
      options.timeoutMs,
    );
    const watch = setInterval(() => {
      const reason = options.giveUp?.();
      if (reason !== undefined) abandon(reason);
    }, 1000);
    const end = (code: number | null, failure: string): void => {
      clearTimeout(deadline);
      clearInterval(watch);
      resolve({ code, stdout, failure });
    };
    child.stdout.on('data', (chunk) => {
      stdout = (stdout + chunk).slice(-keptCharacters);
    });
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-keptCharacters);
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      end(null, error.code === 'ENOENT' ? `${file} is not installed` : error.message),
    );
    child.once('close', (code, signal) => {
      const failure = abandoned ?? (code === 0 ? '' : lastLine(stderr) || `ended with ${signal ?? code}`);
      end(code, failure);
    });
  });
}

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1) ?? '';
}
